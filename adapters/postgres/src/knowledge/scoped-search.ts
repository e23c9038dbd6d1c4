import type { Audience, EvidenceItem, Place, ReflectionId, SourceId } from '@parley/contracts'
import { type AppliedCorrection, applyCorrections } from '@parley/knowledge'
import { computeSha256Hex } from '../hashes.ts'
import type { Run, Transact, TransactMember } from '../run-statements.ts'
import { type SqlStatement, statement } from '../statement.ts'
import { toStorable } from './ingest-rows.ts'

export interface SearchHost {
  /** As `parley_serving`. */
  readonly transact: Transact
  /** As `parley_public`, which may only search. */
  readonly transactPublic: Transact
  /** As `parley_member`, which sees the namespaces of the capability's member. */
  readonly transactMember: TransactMember
}

/** The content that a search may find. */
export type SearchedContent =
  | {
      readonly audience: 'private'
      readonly reflectionId: ReflectionId
      /** All namespaces if undefined. */
      readonly namespaces: readonly string[] | undefined
      /** Limits the search to the namespaces that this member may read. */
      readonly capability?: Uint8Array | undefined
      /** Namespaces whose chunks are not searched. */
      readonly onlyFactsOf?: readonly string[] | undefined
    }
  | { readonly audience: 'public'; readonly capability: Uint8Array }

interface ScopedSearch {
  /** The private one also gets the reflection, its namespaces and those without chunks, as `$4` to `$6`. */
  readonly statements: Readonly<Record<Audience, SqlStatement>>
  readonly values: readonly [unknown, unknown, unknown]
  /** Also finds the corrections that this question asks for. */
  readonly query?: string
}

interface FoundRow {
  readonly kind: EvidenceItem['kind'] | 'partial'
  readonly source_id?: SourceId
}

interface Found<Row> {
  readonly rows: readonly Row[]
  /** Empty for partial results, which have no passages to correct. */
  readonly corrections: readonly AppliedCorrection[]
}

type SearchInScope = <Row extends FoundRow>(
  scope: SearchedContent,
  search: ScopedSearch,
) => Promise<Found<Row>>

/** Searches in a transaction that sees only its audience's content, for a limited time. */
export const createScopedSearch =
  ({ transact, transactPublic, transactMember }: SearchHost): SearchInScope =>
  <Row extends FoundRow>(scope: SearchedContent, { statements, values, query = '' }: ScopedSearch) => {
    const search = async (
      execute: Run,
      place: readonly unknown[],
      more: readonly unknown[],
    ): Promise<Found<Row>> => {
      const rows = await execute<Row>(statements[scope.audience], [...values, ...place, ...more])
      const sources = rows.flatMap(({ kind, source_id }) => (kind === 'chunk' ? (source_id ?? []) : []))
      const isPartial = rows.some(({ kind }) => kind === 'partial')
      if (isPartial || (query === '' && sources.length === 0)) return { rows, corrections: [] }
      const asked = [toQueryText(query), [...new Set(sources)], ...place]
      const corrections = await execute<CorrectionRow>(FIND_CORRECTIONS[scope.audience], asked)
      return { rows, corrections: corrections.map(toCorrection) }
    }
    if (scope.audience === 'public') {
      return transactPublic(async (execute) => {
        await execute(SET_SCOPE, [TIMEOUT, Buffer.from(scope.capability).toString('hex')])
        return search(execute, [], [])
      })
    }
    const { reflectionId, namespaces, capability, onlyFactsOf = [] } = scope
    return (capability ? transactMember(capability) : transact)(async (execute) => {
      await execute(SET_TIMEOUT, [TIMEOUT])
      return search(execute, [reflectionId, namespaces], [[...onlyFactsOf]])
    })
  }

/** Less than the caller's timeout, so that partial results still reach it. */
const TIMEOUT = '600ms'

export interface ItemRow {
  readonly kind: EvidenceItem['kind']
  readonly text: string
  readonly namespace: string
  readonly source_id: SourceId
  readonly title: string
  readonly place: Place
  readonly score: number
}

/** An approved correction of the results; if it was replaced, only the corrected quote is set. */
interface CorrectionRow {
  readonly text: string | null
  readonly namespace: string
  readonly source_id: SourceId
  readonly title: string
  readonly place: {
    readonly place: Place
    readonly subject: string
    readonly predicate: string
    readonly correctedSource: SourceId | null
    readonly quote: string | null
    readonly isAsked: boolean
  }
}

function toCorrection({ text, place: details, ...row }: CorrectionRow): AppliedCorrection {
  const { place, subject, predicate, correctedSource, quote, isAsked } = details
  const { namespace, source_id: id, title } = row
  return {
    ...(text !== null && {
      fact: { kind: 'fact', text, namespace, source: { id, title }, place, subject, predicate },
    }),
    ...(correctedSource !== null && quote !== null && { corrected: { sourceId: correctedSource, quote } }),
    isAsked,
  }
}

/** Applies the corrections to the results. */
export const toEvidence = (
  items: readonly ItemRow[],
  corrections: readonly AppliedCorrection[],
  query = '',
): readonly EvidenceItem[] =>
  applyCorrections(items.map(toEvidenceItem), corrections, query, computeSha256Hex)

const toEvidenceItem = ({
  kind,
  text,
  namespace,
  source_id,
  title,
  place,
  score,
}: ItemRow): EvidenceItem => ({
  kind,
  text,
  namespace,
  source: { id: source_id, title },
  place,
  score,
})

/** Replaces U+0000, which the database cannot store. */
export const toQueryText = (text: string) => toStorable(text, ' ')

const SET_TIMEOUT = statement(`select set_config('statement_timeout', $1, true)`)

const SET_SCOPE = statement(`
  select set_config('statement_timeout', $1, true), set_config('parley.scope', $2, true)`)

/** The ids of the reflection's namespaces with these names, or of all; both are placeholders. */
export const selectNamespaceIds = (reflection: string, names: string) => `
  select n.id from namespaces n join reflections r on r.id = n.reflection_id
  where r.id = ${reflection} and r.removed_at is null and (${names}::text[] is null or n.name = any(${names}))`

const FIND_CORRECTIONS: Readonly<Record<Audience, SqlStatement>> = {
  private: statement(
    `select * from corrections_to(array(${selectNamespaceIds('$3', '$4')}), $1, $2::text[])`,
  ),
  public: statement('select * from gate.corrections($1, $2::text[])'),
}
