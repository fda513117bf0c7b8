//! Output of `--watch` in a pipe.

/// The news in a command's output, without their times; what follows them is four lines about the end.
pub fn news(text: &str) -> Vec<String> {
    assert!(!text.contains('\x1b'), "{text}");
    let (lines, end) = text.split_once("\nDone after ").expect(text);
    assert_eq!(end.lines().count(), 4, "{text}");
    // Each begins with its time, but for that which names the map.
    let timed = lines.lines().filter_map(|line| line.split_once(" s: "));
    let news: Vec<String> = timed.map(|(_, news)| news.to_owned()).collect();
    assert!(news.windows(2).all(|pair| pair[0] != pair[1]), "{text}");
    news
}
