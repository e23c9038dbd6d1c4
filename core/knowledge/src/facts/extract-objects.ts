import { findDates, removeDates } from './dates.ts'
import { KIN } from './find-subjects.ts'
import type { ObjectKind } from './rules.ts'

/** An object, and its form in a sentence about the subject. */
export interface ExtractedObject {
  readonly object: string
  readonly inSentence: string
}

/** Whether a phrase contains a noun. */
export type NounTest = (phrase: string) => boolean

/** Extracts the objects of a verb from the rest of the clause, if they have the expected form. */
export function extractObjects(
  rest: string,
  kind: ObjectKind,
  subject: string,
  hasNoun: NounTest,
): readonly ExtractedObject[] {
  if (kind === 'place' || kind === 'name') {
    const found = (kind === 'place' ? PLACE : NAME).exec(rest)?.groups?.['name']?.replace(/['’]s$/, '')
    return found === undefined || NOT_A_PLACE.test(found)
      ? []
      : removeUnusable([{ object: toBareName(found), inSentence: found }])
  }
  if (kind === 'date') {
    const { validFrom } = findDates(`on ${rest.trimStart()}`, 'event') ?? {}
    return validFrom === undefined || !/^\s*(?:the )?(?:\d|\p{Lu}\p{L}+\.?,? (?:of )?\d)/u.test(rest)
      ? []
      : [{ object: validFrom, inSentence: validFrom }]
  }
  if (kind === 'word') {
    const word = /^\s*([\p{L}-]+)/u.exec(rest)?.[1] ?? ''
    return removeUnusable([{ object: word, inSentence: word }])
  }
  const phrase = (kind === 'clause' ? removeFinalStop(rest) : readPhrase(rest, kind)).trim()
  if (phrase.length < 2 || NO_OBJECT.test(phrase) || !/\p{L}{2}/u.test(phrase)) return []
  if (kind === 'thing' && phrase.startsWith('to ')) return []
  if (kind === 'role' && (VAGUE.test(phrase) || INSULT.test(phrase))) return []
  if (kind !== 'clause' && !/\p{Lu}|^to /u.test(phrase) && !hasNoun(phrase)) return []
  const parts = kind === 'list' ? splitList(phrase) : [phrase]
  return removeUnusable(parts.map((part) => toObject(part, kind, subject)))
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

/** Words that cannot start an object. */
const NO_OBJECT =
  /^(?:it|this|that|these|those|them|him|her|you|me|us|how|what|when|where|who|why|which|if|so|too|here|there|everything|nothing|something|anything|all|more|much|very much|well|as|and|but|by|up|down|out|off|away|back|not|no|never|one|ones|with|on|at|about|around|through|until|since|because)(?: |$)/i

/** Excludes phrases such as "a little tired". */
const VAGUE = /^an? (?:little|bit|lot|few|kind of|sort of|good deal|while|long way|matter)(?: |$)/

/** Insults are not facts. */
const INSULT =
  /\b(?:idiot|moron|fool|liar|jerk|bastard|bitch|arsehole|asshole|prick|dick|twat|wanker|loser|creep|scumbag|pain|nightmare|disgrace|coward|crook|Arschloch|Trottel|Depp|Lügner)s?\b/i

const CUTS =
  /[.;:!?()—–\n]|,(?! (?:[\p{L}-]+ ){0,2}(?:and|or|und) )|\s(?:when|because|but|which|who|whom|whose|that|since|if|while|although|though|so|until|after|before|more than|rather than|better than|ever|every (?:day|morning|evening|year|week|summer)|where|as|weil|aber|wenn|with my|and (?:I|we|he|she|they|it|my|then|now|so|still|also|have|has|had|am|is|was|were|are|live|lives|lived|work|works|worked|moved|love|loves|hate|hates|never|always|don't|don’t|do|did|went|came|got|took|made|kept|left|can|could|would|will))(?=[\s,.'’]|$)/u

function readPhrase(rest: string, kind: ObjectKind): string {
  const cut = rest.search(CUTS)
  const whole = cut < 0 ? rest : rest.slice(0, cut)
  const phrase = removeDates(
    /^\s(?:where|that|which)\b/.test(rest.slice(cut)) ? whole.replace(DANGLING, '') : whole,
  )
    .replace(/ for (?:\S+ ){1,3}years?.*$/, '')
    .replace(/ (?:now|any ?more)$/, '')
  return kind === 'list' ? phrase : phrase.replace(/ and (?=\p{Ll})[^]*$/u, '')
}

/** A place that the following clause describes: "on the street where …". */
const DANGLING = / (?:on|in|at|by|near) the \p{Ll}+$/u

const removeFinalStop = (rest: string): string => rest.replace(/[.!;]\s*$/, '')

/** Splits "tea, coffee and old boats" into three, if every part is short. */
function splitList(phrase: string): readonly string[] {
  const parts = phrase.split(/,? (?:and|und|or) |, /).map((part) => part.trim())
  const areShort = parts.every((part) => part !== '' && part.split(' ').length <= 3)
  return areShort ? parts.slice(0, MAX_PARTS) : [phrase]
}

const MAX_PARTS = 6

/** "My" before anything but a relative, who keeps the subject's name: "Ada Holm's sister". */
const MY_THING = new RegExp(String.raw`^my (?!(?:[\p{L}-]+ )?(?:${KIN.join('|')})(?![\p{L}]))`, 'iu')

function toObject(part: string, kind: ObjectKind, subject: string): ExtractedObject {
  const inSentence = part
    .replace(/\b(?:my|mine) own\b/gi, 'their own')
    .replace(MY_THING, 'their ')
    .replace(/\bmy\b/gi, `${subject}'s`)
    .replace(/\bour\b/gi, 'their')
    .replace(/\bmyself\b/gi, 'themself')
    .replace(/\bme\b/g, subject)
  if (kind === 'clause') return { object: inSentence, inSentence }
  const object = kind === 'role' ? inSentence.replace(/ (?:at|for|with|by|from|in|on) [^]*$/, '') : inSentence
  return { object: toBareName(object), inSentence }
}

const toBareName = (phrase: string): string =>
  phrase
    .replace(/^(?:the|an?|some|their|ein(?:en?)?) (?=\S)/i, '')
    .replace(/^["“„‘]|["”’]$/g, '')
    .replace(/[,.]+$/, '')
    .trim()

const MAX_OBJECT_LENGTH = 200

/** Removes objects with "I", "you" or masked words, which cannot be used in a statement. */
const removeUnusable = (objects: readonly ExtractedObject[]): readonly ExtractedObject[] =>
  objects.filter(
    ({ object }) =>
      object.length > 1 &&
      object.length <= MAX_OBJECT_LENGTH &&
      !object.includes(MASK) &&
      !/\b(?:I|[Yy]ou|[Yy]our)\b/.test(object),
  )

/** Masks quotations, so their words are not attributed to the speaker. Quoted names, as in `called “Wanda”`, stay. */
export function maskQuotes(text: string): string {
  return text.replace(QUOTED, (quoted, at: number) =>
    followsNaming(text, at) && quoted.length < MAX_NAME_LENGTH ? quoted : MASK.repeat(quoted.length),
  )
}

const MASK = '\u25A0'

const MAX_NAME_LENGTH = 80

// An open quotation ends with its paragraph.
const QUOTED =
  /["“„«][^]*?(?:["”“»]|\n\s*\n|$)|‘[^‘]*?(?:’(?!\p{L})|\n\s*\n|$)|(?<!\S)'\p{Lu}[^']*(?:'\p{L}[^']*)*?[.,!?]'(?!\p{L})|`[^`\n]*`/gu

const followsNaming = (text: string, at: number): boolean =>
  /(?:called|named|titled|entitled|wrote|published|heißt|nannte)\s+(?:it\s+|her\s+|him\s+)?$/u.test(
    text.slice(Math.max(0, at - 30), at),
  )
