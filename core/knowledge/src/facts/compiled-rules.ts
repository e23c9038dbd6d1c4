import type { Subject } from './find-subjects.ts'
import { type Rule, RULES } from './rules.ts'

const ADVERBS =
  '(?:(?:now|still|currently|also|really|always|actually|just|simply|particularly|first|later|then|quite|mostly|only|truly|absolutely|once|recently|finally|eventually|originally|especially|rather|both|soon|happily|secretly|have always|has always) )*'

const WORDS: Record<Subject['person'], Readonly<Record<string, string>>> = {
  first: {
    '~': '',
    '{be}': "(?:am|'m|’m|bin)",
    '{was}': '(?:was)',
    '{have}': "(?:have|'ve|’ve)",
    '{do}': 'do',
    '{et}': 'e',
    '{eet}': 'e',
  },
  plural: {
    '~': '',
    '{be}': "(?:are|'re|’re)",
    '{was}': '(?:were)',
    '{have}': "(?:have|'ve|’ve)",
    '{do}': 'do',
    '{et}': 'en',
    '{eet}': 'en',
  },
  third: {
    '~': '(?:e?s)',
    '{be}': "(?:is|'s|’s|ist)",
    '{was}': '(?:was)',
    '{have}': "(?:has|'s|’s)",
    '{do}': 'does',
    '{et}': 't',
    '{eet}': 'et',
  },
}

/** The rules, as patterns that go with their subject. */
export const COMPILED = RULES.map((rule) => ({
  rule,
  patterns: {
    first: patternOf(rule, 'first'),
    plural: patternOf(rule, 'plural'),
    third: patternOf(rule, 'third'),
  },
}))

function patternOf({ verb }: Rule, person: Subject['person']): RegExp {
  const source = verb.replace(/~|\{\w+\}/g, (token) => WORDS[person][token] ?? token)
  return new RegExp(`^(?:,? ?(?:who|which) )?${ADVERBS}${source}(?![\\p{L}'’])`, 'u')
}
