import { NAME, type Subject, type Voice } from './find-subjects.ts'
import { ANIMALS, KIN, SEVERAL, SPOUSES } from './kin.ts'
import type { Said } from './said.ts'

/** Whom a sentence names as the speaker's: "my sister Mara", "our children, Nuno and Bea", "a daughter called Bea". */
export function* factsOfKin(sentence: string, kin: readonly Subject[], { speaker }: Voice): Generator<Said> {
  for (const { name, of, trust } of kin)
    if (of?.isNamed) yield relation(of.person, of.as, name, 'is', 0.9 * trust)
  if (speaker === undefined) return
  for (const found of sentence.matchAll(SEVERAL_NAMED)) {
    const one = SEVERAL.get(found.groups?.['what'] ?? '')
    const names = (found.groups?.['names'] ?? '').split(/, | and |, and /)
    if (one !== undefined) for (const name of names) yield relation(speaker, one, name.trim(), 'is', 0.85)
  }
  const one = ONE_NAMED.exec(sentence)?.groups
  if (one?.['kin'] !== undefined && one['name'] !== undefined)
    yield relation(speaker, one['kin'], one['name'], 'is called', 0.9)
}

/** That somebody, or an animal, is somebody's. */
export function relation(
  person: string,
  as: string,
  name: string,
  verb: 'is' | 'is called',
  confidence: number,
): Said {
  return {
    subject: person,
    predicate: ANIMALS.has(as) ? 'owns' : SPOUSES.has(as) ? 'married_to' : 'has_relative',
    object: name,
    statement: `${person}'s ${as} ${verb} ${name}.`,
    confidence,
  }
}

const COUNT = '(?:two|three|four|five|six|\\d)'

const SEVERAL_NAMED = new RegExp(
  String.raw`(?<![\p{L}])(?:[Mm]y|[Oo]ur) (?:${COUNT} )?(?:(?:grown-up|little|young|older|younger) )?(?<what>${[...SEVERAL.keys()].join('|')})(?:,| are(?: called| named)?| called| named)? (?<names>${NAME}(?:, ${NAME})*,? and ${NAME})`,
  'gu',
)

const ONE_NAMED = new RegExp(
  String.raw`^(?:(?:Well|And|So|Yes),? )?(?:I|[Ww]e)(?: have|['’]ve)(?: got)? an? (?:(?:older|younger|little|big|grown-up|twin|small|old|young) ){0,2}(?<kin>${KIN.join('|')}),? (?:called|named|whose name is) (?<name>${NAME})`,
  'u',
)
