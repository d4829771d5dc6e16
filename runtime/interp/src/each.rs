//! Apply-to-each: LANGUAGE section 8.

use crate::cost::Lanes;
use crate::failure::{Failure, Fault, int};
use crate::function::Frame;
use crate::machine::Machine;
use crate::random::Key;
use base::{Site, Span};
use types::tree::{Each, Exp};
use value::{Seq, SeqBuilder, Value};

impl Machine<'_> {
    /// All lanes run the test, then those that passed run the body; in the serial form each lane
    /// runs both before the next.
    #[inline(never)] // Like others below `eval`: frames of deep recursion stay small.
    pub(crate) fn each(
        &mut self,
        each: &Each,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        let sources = self.sources(each, span, frame)?;
        let lanes = sources.first().map_or(0, Seq::len);
        self.allocate(lanes.saturating_mul(size_of::<i64>()))
            .map_err(|f| self.fault(f, span, frame))?;
        self.at(span, frame);
        self.cost().add(lanes as u64, 0);
        let run = LaneRun { each, sources: &sources, span, key: frame.key, seeds: frame.seeds };
        let result = if each.serial {
            self.serial_lanes(&run, lanes, frame)?
        } else {
            self.parallel_lanes(&run, lanes, frame)?
        };
        frame.key = self.key_around(&run, frame);
        let value = Value::Seq(result);
        self.at(span, frame);
        self.cost().add(value.size(), 0);
        Ok(value)
    }

    /// The sources, all of one length.
    fn sources(&mut self, each: &Each, span: Span, frame: &mut Frame) -> Result<Vec<Seq>, Fault> {
        let mut sources: Vec<Seq> = Vec::with_capacity(each.generators.len());
        for (_, source) in &each.generators {
            let value = self.eval(source, frame)?;
            let (len, first) = (value.seq().len(), sources.first().map(Seq::len));
            if let Some(first) = first.filter(|&first| first != len) {
                let failure = Failure::check(Site::Length, int(first), int(len));
                return Err(self.fault(failure, span, frame));
            }
            sources.push(value.seq().clone());
        }
        Ok(sources)
    }

    fn parallel_lanes(
        &mut self,
        run: &LaneRun,
        lanes: usize,
        frame: &mut Frame,
    ) -> Result<Seq, Fault> {
        self.parallel += 1;
        let passing = match &run.each.test {
            None => None,
            Some(test) => {
                let mut passing = Vec::new();
                let mut clock = Lanes::start(self.cost());
                for lane in 0..lanes {
                    if self.lane(run, lane, test, frame)?.bool() {
                        passing.push(lane);
                    }
                    clock.end_lane(self.cost());
                }
                clock.join(self.cost());
                Some(passing)
            }
        };
        let count = passing.as_ref().map_or(lanes, Vec::len);
        let mut results = SeqBuilder::with_capacity(count);
        let mut clock = Lanes::start(self.cost());
        for i in 0..count {
            let lane = passing.as_ref().map_or(i, |passing| passing[i]);
            results.push(self.lane(run, lane, &run.each.body, frame)?);
            clock.end_lane(self.cost());
        }
        clock.join(self.cost());
        self.parallel -= 1;
        Ok(results.finish())
    }

    fn serial_lanes(
        &mut self,
        run: &LaneRun,
        lanes: usize,
        frame: &mut Frame,
    ) -> Result<Seq, Fault> {
        let mut results = SeqBuilder::with_capacity(lanes);
        for lane in 0..lanes {
            let passes = match &run.each.test {
                None => true,
                Some(test) => self.lane(run, lane, test, frame)?.bool(),
            };
            if passes {
                results.push(self.lane(run, lane, &run.each.body, frame)?);
            }
        }
        Ok(results.finish())
    }

    /// The key of the expression around the lanes.  A lane of the serial form may have set the
    /// seed.
    fn key_around(&self, run: &LaneRun, frame: &Frame) -> Key {
        if frame.seeds == run.seeds { run.key } else { self.key_of_seed(run.span) }
    }

    /// The test or body in one lane.
    fn lane(
        &mut self,
        run: &LaneRun,
        lane: usize,
        exp: &Exp,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        for ((pattern, _), source) in run.each.generators.iter().zip(run.sources) {
            self.bind(pattern, source.get(lane), frame);
        }
        frame.key = self.key_around(run, frame).in_each(run.span).in_lane(lane);
        // Lanes inside the library mean nothing to the user.
        let told = frame.caller.is_none();
        if told {
            self.lanes.push(lane);
        }
        self.begin();
        let value = self.eval(exp, frame)?;
        self.end();
        if told {
            self.lanes.pop();
        }
        Ok(value)
    }
}

/// What all lanes of an apply-to-each share.
struct LaneRun<'a> {
    each: &'a Each,
    sources: &'a [Seq],
    span: Span,
    /// The key around it, and how often the seed had been set.
    key: Key,
    seeds: u64,
}
