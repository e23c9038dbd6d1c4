import { datesIn, withoutDates } from './dates.ts'
import { KIN } from './find-subjects.ts'
import type { ObjectKind } from './rules.ts'

/** An object by itself, and as a sentence about the subject writes it. */
export interface TidyObject {
  readonly object: string
  readonly inSentence: string
}

/** Knows words: whether a phrase holds something that is spoken of, rather than only what is done or how it is. */
export type HasNoun = (phrase: string) => boolean

/** What of the rest of a clause is the object of its verb; none where it does not look like one. */
export function tidyObjects(
  rest: string,
  kind: ObjectKind,
  subject: string,
  hasNoun: HasNoun,
): readonly TidyObject[] {
  if (kind === 'place' || kind === 'name') {
    const found = (kind === 'place' ? PLACE : NAME).exec(rest)?.groups?.['name']?.replace(/['’]s$/, '')
    return found === undefined || NOT_A_PLACE.test(found)
      ? []
      : fitting([{ object: bare(found), inSentence: found }])
  }
  if (kind === 'date') {
    const { validFrom } = datesIn(`on ${rest.trimStart()}`, 'event') ?? {}
    return validFrom === undefined || !/^\s*(?:the )?(?:\d|\p{Lu}\p{L}+\.?,? (?:of )?\d)/u.test(rest)
      ? []
      : [{ object: validFrom, inSentence: validFrom }]
  }
  if (kind === 'word') {
    const word = /^\s*([\p{L}-]+)/u.exec(rest)?.[1] ?? ''
    return fitting([{ object: word, inSentence: word }])
  }
  const phrase = (kind === 'clause' ? clauseOf(rest) : phraseOf(rest, kind)).trim()
  if (phrase.length < 2 || NO_OBJECT.test(phrase) || !/\p{L}{2}/u.test(phrase)) return []
  if (kind === 'thing' && phrase.startsWith('to ')) return []
  if (kind === 'role' && (VAGUE.test(phrase) || INSULT.test(phrase))) return []
  if (kind !== 'clause' && !/\p{Lu}|^to /u.test(phrase) && !hasNoun(phrase)) return []
  const parts = kind === 'list' ? listOf(phrase) : [phrase]
  return fitting(parts.map((part) => told(part, kind, subject)))
}

const UPPER = String.raw`(?:\p{Lu}[\p{L}\p{M}'’-]*\p{L}|St\.)`
const PLACE = new RegExp(
  String.raw`^\s*(?:(?:the|a|an) (?:[\p{Ll}-]+ ){1,4}(?:of|called|in|on|near) )?(?<name>(?:the )?${UPPER}(?: (?:(?:of|on|upon|an der|am|de|la|the) ){0,2}${UPPER}){0,4}(?:, ${UPPER}(?: ${UPPER}){0,2}(?=[.;]?\s*$))?)`,
  'u',
)
const NAME = new RegExp(
  String.raw`^\s*(?<name>["“„‘]?(?:the )?${UPPER}(?: (?:(?:of|the|van|von|de|der) ){0,2}${UPPER}){0,4}["”’]?)`,
  'u',
)
const NOT_A_PLACE =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|I|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b/

/** Words that begin something else than an object. */
const NO_OBJECT =
  /^(?:it|this|that|these|those|them|him|her|you|me|us|how|what|when|where|who|why|which|if|so|too|here|there|everything|nothing|something|anything|all|more|much|very much|well|as|and|but|by|up|down|out|off|away|back|not|no|never|one|ones|with|on|at|about|around|through|until|since|because)(?: |$)/i

/** "A little tired" is no role. */
const VAGUE = /^an? (?:little|bit|lot|few|kind of|sort of|good deal|while|long way|matter)(?: |$)/

/** Words of anger state nothing about anybody. */
const INSULT =
  /\b(?:idiot|moron|fool|liar|jerk|bastard|bitch|arsehole|asshole|prick|dick|twat|wanker|loser|creep|scumbag|pain|nightmare|disgrace|coward|crook|Arschloch|Trottel|Depp|Lügner)s?\b/i

const CUTS =
  /[.;:!?()—–\n]|,(?! (?:[\p{L}-]+ ){0,2}(?:and|or|und) )|\s(?:when|because|but|which|who|whom|whose|that|since|if|while|although|though|so|until|after|before|more than|rather than|better than|ever|every (?:day|morning|evening|year|week|summer)|where|as|weil|aber|wenn|with my|and (?:I|we|he|she|they|it|my|then|now|so|still|also|have|has|had|am|is|was|were|are|live|lives|lived|work|works|worked|moved|love|loves|hate|hates|never|always|don't|don’t|do|did|went|came|got|took|made|kept|left|can|could|would|will))(?=[\s,.'’]|$)/u

function phraseOf(rest: string, kind: ObjectKind): string {
  const cut = rest.search(CUTS)
  const whole = cut < 0 ? rest : rest.slice(0, cut)
  const phrase = withoutDates(
    /^\s(?:where|that|which)\b/.test(rest.slice(cut)) ? whole.replace(DANGLING, '') : whole,
  )
    .replace(/ for (?:\S+ ){1,3}years?.*$/, '')
    .replace(/ (?:now|any ?more)$/, '')
  return kind === 'list' ? phrase : phrase.replace(/ and (?=\p{Ll})[^]*$/u, '')
}

/** A place that only the rest of the sentence tells: "on the street where …". */
const DANGLING = / (?:on|in|at|by|near) the \p{Ll}+$/u

const clauseOf = (rest: string): string => rest.replace(/[.!;]\s*$/, '')

/** "Tea, coffee and old boats" are three, as long as each is short. */
function listOf(phrase: string): readonly string[] {
  const parts = phrase.split(/,? (?:and|und|or) |, /).map((part) => part.trim())
  const areShort = parts.every((part) => part !== '' && part.split(' ').length <= 3)
  return areShort ? parts.slice(0, MOST_PARTS) : [phrase]
}

const MOST_PARTS = 6

/** Whoever is theirs is named as theirs. */
const MY_THING = new RegExp(String.raw`^my (?!(?:[\p{L}-]+ )?(?:${KIN.join('|')})(?![\p{L}]))`, 'iu')

function told(part: string, kind: ObjectKind, subject: string): TidyObject {
  const inSentence = part
    .replace(/\b(?:my|mine) own\b/gi, 'their own')
    .replace(MY_THING, 'their ')
    .replace(/\bmy\b/gi, `${subject}'s`)
    .replace(/\bour\b/gi, 'their')
    .replace(/\bmyself\b/gi, 'themself')
    .replace(/\bme\b/g, subject)
  if (kind === 'clause') return { object: inSentence, inSentence }
  const object = kind === 'role' ? inSentence.replace(/ (?:at|for|with|by|from|in|on) [^]*$/, '') : inSentence
  return { object: bare(object), inSentence }
}

const bare = (phrase: string): string =>
  phrase
    .replace(/^(?:the|an?|some|their|ein(?:en?)?) (?=\S)/i, '')
    .replace(/^["“„‘]|["”’]$/g, '')
    .replace(/[,.]+$/, '')
    .trim()

const LONGEST = 200

/** An object with "I", "you" or masked words cannot go into a statement. */
const fitting = (objects: readonly TidyObject[]): readonly TidyObject[] =>
  objects.filter(
    ({ object }) =>
      object.length > 1 &&
      object.length <= LONGEST &&
      !object.includes(BLOT) &&
      !/\b(?:I|[Yy]ou|[Yy]our)\b/.test(object),
  )

/**
 * The same text with what stands in quotation marks blotted out, so that nobody is taken at others' words. What comes
 * after a word of naming is a name, and stays.
 */
export function maskQuotes(text: string): string {
  return text.replace(QUOTED, (quoted, at: number) =>
    isNamed(text, at) && quoted.length < LONGEST_NAME ? quoted : BLOT.repeat(quoted.length),
  )
}

const BLOT = '\u25A0'

const LONGEST_NAME = 80

// A mark that is never closed reaches to the end of its paragraph.
const QUOTED =
  /["“„«][^]*?(?:["”“»]|\n\s*\n|$)|‘[^‘]*?(?:’(?!\p{L})|\n\s*\n|$)|(?<!\S)'\p{Lu}[^']*(?:'\p{L}[^']*)*?[.,!?]'(?!\p{L})|`[^`\n]*`/gu

const isNamed = (text: string, at: number): boolean =>
  /(?:called|named|titled|entitled|wrote|published|heißt|nannte)\s+(?:it\s+|her\s+|him\s+)?$/u.test(
    text.slice(Math.max(0, at - 30), at),
  )
