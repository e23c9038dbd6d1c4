/** How somebody speaks, by what their own words look like; empty where there are too few to tell. */
export function speakingStyleOf(quotes: readonly string[]): string {
  if (quotes.length < QUOTES_TO_TELL) return ''
  const lengths = quotes
    .map((quote) => quote.split(/\s+/).filter(Boolean).length)
    .toSorted((one, other) => one - other)
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0
  const share = (pattern: RegExp) => quotes.filter((quote) => pattern.test(quote)).length / quotes.length
  const traits = [
    LENGTHS.find(({ upTo }) => median <= upTo)?.trait ?? '',
    share(/\b(I|I'm|my|me|mine)\b/) >= OFTEN ? 'speaks of themselves in the first person' : '',
    share(/!/) >= SOMETIMES ? 'exclaims at times' : '',
    share(/\?/) >= SOMETIMES ? 'answers with questions at times' : '',
    share(/\b\w+(n't|'re|'ve|'ll)\b/) >= SOMETIMES ? 'uses contractions' : '',
    share(/\b\d{2,4}\b/) >= SOMETIMES ? 'names dates and numbers' : '',
  ].filter((trait) => trait !== '')
  return `${traits.join('; ')}.`
}

const QUOTES_TO_TELL = 5
const OFTEN = 0.4
const SOMETIMES = 0.15

const LENGTHS = [
  { upTo: 8, trait: 'speaks in short, plain sentences' },
  { upTo: 18, trait: 'speaks in sentences of middle length' },
  { upTo: Infinity, trait: 'speaks in long sentences that carry several thoughts' },
] as const
