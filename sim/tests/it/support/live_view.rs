//! Output of `--watch` in a pipe.

/// Status lines of a command's output, without their times.
pub fn status_lines(text: &str) -> Vec<String> {
    assert!(!text.contains('\x1b'), "{text}");
    let (status, end) = text.split_once("\nDone after ").expect(text);
    assert_eq!(end.lines().count(), 4, "{text}");
    // All but the one that names the map begin with their time.
    let timed = status.lines().filter_map(|line| line.split_once(" s: "));
    let lines: Vec<String> = timed.map(|(_, line)| line.to_owned()).collect();
    assert!(lines.windows(2).all(|pair| pair[0] != pair[1]), "{text}");
    lines
}
