//! A report as one page that needs nothing else: tables, pictures, and how it was made.

use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

use super::report::Report;
use crate::{lab::table::Table, output};

/// The provenance of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The command line.
    pub command: String,
    pub seed: u64,
}

impl Made {
    /// By the command that runs now.
    pub fn now(seed: u64) -> Self {
        let words = env::args().skip(1).map(|word| quoted(&word));
        let command = ["sim".to_owned()].into_iter().chain(words);
        Self {
            command: command.collect::<Vec<_>>().join(" "),
            seed,
        }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Writes the page beside the pictures, which it holds too, and returns its path.
pub fn write(
    report: &Report,
    pictures: &[PathBuf],
    folder: &Path,
    made: &Made,
) -> anyhow::Result<PathBuf> {
    let is_svg = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "svg");
    let pictures = pictures
        .iter()
        .filter(is_svg)
        .map(|path| fs::read_to_string(path).with_context(|| path.display().to_string()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let path = folder.join(report.experiment).with_extension("html");
    output::write_file(&path, page(report, &pictures, made))?;
    Ok(path)
}

/// The page, with these pictures in it.
pub fn page(report: &Report, pictures: &[String], made: &Made) -> String {
    let title = escaped(&report.title);
    let mut body = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        body,
        "<h1>{title}</h1>\n<p class=made>Made by <code>{}</code>, seed {}, with version {}.</p>\n",
        escaped(&made.command),
        made.seed,
        env!("CARGO_PKG_VERSION")
    );
    if let Some(verdict) = report.verdict() {
        let _ = writeln!(body, "<p><strong>{}</strong></p>", escaped(&verdict));
    }
    if !report.findings.is_empty() {
        body += "<h2>Findings</h2>\n<ul>\n";
        for finding in &report.findings {
            let _ = writeln!(body, "<li>{}</li>", escaped(finding));
        }
        body += "</ul>\n";
    }
    if !pictures.is_empty() {
        body += "<h2>Pictures</h2>\n";
    }
    for picture in pictures {
        let _ = writeln!(body, "<figure>{}</figure>", drawing(picture));
    }
    body += "<h2>Figures</h2>\n<p>A figure is a mean and, behind ±, half the width of its 95 % \
             confidence interval. Inside and outside: the paper's figure and the measured interval, or the measured \
             mean and the paper's interval; overlap and apart: the two intervals.</p>\n";
    for table in report.tables() {
        body += &html(&table);
    }
    format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<main>\n{body}</main>\n</html>\n"
    )
}

/// By night, pictures are turned: what was dark is light, and colors keep their names.
const STYLE: &str = "
:root { --paper: #fff; --ink: #1f2328; --weak: #59636e; --line: #d1d9e0; --stripe: #f6f8fa; --good: #1a7f37; --bad: #bc4c00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --weak: #9198a1; --line: #3d444d; --stripe: #151b23; --good: #3fb950; --bad: #f0883e; }
  figure svg { filter: invert(1) hue-rotate(180deg); }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
.made { color: var(--weak); margin: 0; }
code { font: .9em ui-monospace, monospace; background: var(--stripe); border: 1px solid var(--line); border-radius: 4px; padding: .1em .35em; overflow-wrap: anywhere; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
figure svg rect:first-of-type { fill: none; }
figure svg [stroke=\"#FFFFFF\"] { stroke: none; }
.wide { overflow-x: auto; margin: 1rem 0 1.75rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line); vertical-align: baseline; white-space: nowrap; }
th { font-weight: 600; border-bottom-width: 2px; }
tbody tr:nth-child(even) { background: var(--stripe); }
.right { text-align: right; }
.good { color: var(--good); }
.bad { color: var(--bad); }
";

/// The picture itself, without what stands before it in a file, and as large as the page allows.
fn drawing(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |begin| &svg[begin..]).trim()
}

fn html(table: &Table) -> String {
    let mut text = String::from("<div class=wide><table>\n");
    for (number, row) in table.rows.iter().enumerate() {
        let (kind, before, after) = match number {
            0 => ("th", "<thead><tr>", "</tr></thead>\n<tbody>\n"),
            _ => ("td", "<tr>", "</tr>\n"),
        };
        text += before;
        for (column, cell) in row.iter().enumerate() {
            let class = match verdict(cell) {
                _ if !table.is_left(column) => " class=right",
                Some(true) => " class=good",
                Some(false) => " class=bad",
                None => "",
            };
            let _ = write!(text, "<{kind}{class}>{}</{kind}>", escaped(cell));
        }
        text += after;
    }
    text + "</tbody></table></div>\n"
}

/// Returns whether a cell says that a figure is the paper's, or that it is not.
fn verdict(cell: &str) -> Option<bool> {
    match cell {
        "the same" | "inside" | "overlap" => Some(true),
        "not the same" | "outside" | "apart" => Some(false),
        _ => None,
    }
}

/// Text as a page shows it.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('"', "&quot;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{
        experiment::row::{EXPANSIONS, Paper, Row},
        stats::Summary,
    };

    fn report() -> Report {
        let measured = Summary {
            mean: 104.0,
            ci95: Some(2.0),
            runs: 9,
        };
        let paper = Some(Paper::new(100.0, 5.0));
        Report {
            experiment: "test",
            title: "A < B & C".to_owned(),
            rows: vec![Row::new("test", "first", EXPANSIONS, measured, paper)],
            charts: Vec::new(),
            findings: vec!["\"A\" is <b>less</b>".to_owned()],
        }
    }

    #[test]
    fn a_page_has_the_papers_figure_beside_the_measured_one() {
        let made = Made {
            command: "sim experiment test --out 'my results'".to_owned(),
            seed: 7,
        };
        let picture = "<?xml version=\"1.0\"?>\n<svg width=\"9\"></svg>\n".to_owned();
        let page = page(&report(), &[picture], &made);
        assert!(page.contains("<td class=right>100.0 ± 5.0</td><td class=right>104.0 ± 2.0</td>"));
        assert!(page.contains("<td class=good>inside</td>"));
        assert!(page.contains("<figure><svg width=\"9\"></svg></figure>"));
        assert!(page.contains("sim experiment test --out 'my results'</code>, seed 7"));
        assert!(page.contains("&quot;A&quot; is &lt;b&gt;less&lt;/b&gt;"));
        assert!(page.contains("<h1>A &lt; B &amp; C</h1>"));
        assert!(!page.contains("http"), "a page that needs nothing else");
    }

    #[test]
    fn a_word_is_quoted_when_a_shell_would_break_it() {
        assert_eq!(quoted("--out"), "--out");
        assert_eq!(quoted("my results"), "'my results'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
