// Texts to send: chosen by the arrival's seed, so that two runs of one seed send the same.

const SUBJECTS = [
  "the invoice",
  "a refund",
  "the delivery note",
  "a travel expense",
  "the rental contract",
  "a warranty claim",
  "the annual budget",
  "a new supplier",
  "the support ticket",
  "a security incident",
  "the payroll run",
  "a change request",
  "the insurance policy",
  "a customer complaint",
  "the audit report",
  "a purchase order",
];

const EVENTS = [
  "is approved",
  "is sent back",
  "needs a second signature",
  "is paid twice",
  "arrives without a number",
  "is cancelled",
  "is moved to another department",
  "exceeds its limit",
  "is archived",
  "lacks an attachment",
  "is corrected by hand",
  "waits for a decision",
  "is translated",
  "is escalated",
  "is opened again",
  "reaches the wrong person",
];

const OCCASIONS = [
  "before the end of the month",
  "after the deadline",
  "during the summer holidays",
  "while the auditors are in the house",
  "without the knowledge of the owner",
  "on the first working day",
  "in a branch office abroad",
  "under the new guidelines",
  "because of a typing error",
  "on behalf of the management",
  "in the course of a merger",
  "at the request of the customer",
  "with a partial delivery",
  "through the old system",
  "in a foreign currency",
  "for the second time this year",
];

/** One of the given texts, or a question where none is given. */
export function oneOf(given, rng) {
  return rng.pick(given) ?? question(rng);
}

/** A question, one of 4096: a part of each list, by four bits of a draw. */
export function question(rng) {
  const draw = rng.nextU64();
  const at = (byte) => Number((draw >> BigInt(60 - 8 * byte)) & 15n);
  return `What has to be done when ${SUBJECTS[at(0)]} ${EVENTS[at(1)]} ${OCCASIONS[at(2)]}?`;
}
