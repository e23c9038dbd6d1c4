import type { FactId, IngestOutcome, IngestPhase, IngestRunId, PatchId, SourceId } from '@parley/contracts'
import { PlatformError, type ReflectionId } from '@parley/contracts'
import { ONE_AT_A_TIME } from '../facts/predicates.ts'
import type {
  CandidatePatch,
  Chunk,
  Evaluation,
  ExtractedText,
  IngestRun,
  IngestStore,
  OriginalFile,
} from '../ports/ingest-store.ts'
import type { AddedSource, IngestStoreUnderTest, StoredFact } from './ingest-store-under-test.ts'

interface Version {
  readonly run: Omit<IngestRun, 'done'>
  readonly written: string
  readonly original: OriginalFile
  readonly done: Set<IngestPhase>
  text?: ExtractedText
  chunks: readonly Chunk[]
  patch: CandidatePatch | undefined
  evaluation?: Evaluation
  outcome?: IngestOutcome
  problem?: string
}

type MemoryFact = StoredFact & {
  readonly sourceId: SourceId
  readonly namespace: string
  /** The active fact with the same content. */
  readonly repeats?: FactId | undefined
}

interface StoredSource {
  readonly namespace: string
  readonly versions: Version[]
  queued: Version | undefined
  /** Increases with each request. */
  requestedAt: string
  current?: Version
}

/** The reference implementation of an ingest store, with Ada Holm's reflection. */
export function memoryIngestStore(given: Partial<Pick<IngestRun, 'approval'>> = {}): IngestStoreUnderTest {
  const sources = new Map<SourceId, StoredSource>()
  const facts = new Map<FactId, MemoryFact>()
  let revision = 0
  let made = 0
  const nextNumber = () => String((made += 1)).padStart(6, '0')

  const findSource = (sourceId: SourceId): StoredSource => {
    const source = sources.get(sourceId)
    if (!source) throw new PlatformError('source_not_found', { sourceId })
    return source
  }
  const findVersion = (run: IngestRun): Version => {
    const version = findSource(run.sourceId).versions.find((one) => one.run.id === run.id)
    if (!version) throw new PlatformError('source_not_found', { sourceId: run.sourceId })
    return version
  }

  const applyPatch = (run: IngestRun, version: Version, source: StoredSource) => {
    const { patch, evaluation } = version
    if (!patch) return
    const verdict = evaluation?.verdict ?? 'ask'
    for (const fact of patch.facts) {
      const kept = { ...fact, isCurrent: true, sourceId: run.sourceId, namespace: source.namespace }
      const isRejected = verdict === 'reject' || evaluation?.rejected.includes(fact.id) === true
      const repeats = verdict === 'approve' && !isRejected ? findSameFact(kept) : undefined
      const state = isRejected || repeats ? 'rejected' : verdict === 'approve' ? 'active' : 'candidate'
      facts.set(fact.id, { ...kept, state, repeats })
    }
    if (evaluation?.verdict !== 'approve') return
    revision += 1
    for (const { factId } of evaluation.supersedes)
      for (const { id, repeats } of facts.values()) if (id === factId || repeats === factId) retire(id)
  }
  const findSameFact = (fact: Omit<MemoryFact, 'state'>): FactId | undefined =>
    [...facts.values()].find((known) => isActive(known) && known.id !== fact.id && isSameFact(fact, known))
      ?.id
  const retire = (factId: FactId) => {
    const fact = facts.get(factId)
    if (fact) facts.set(factId, { ...fact, isCurrent: false })
  }
  const resolveRepeats = () => {
    for (const fact of facts.values()) {
      const known = fact.repeats === undefined ? undefined : facts.get(fact.repeats)
      if (!known || !fact.isCurrent || isActive(known)) continue
      const repeats = findSameFact(fact)
      facts.set(fact.id, { ...fact, repeats, state: repeats ? 'rejected' : 'active' })
    }
  }

  const store: IngestStore = {
    async openRun(sourceId) {
      const source = findSource(sourceId)
      const version = source.queued
      if (!version) return undefined
      if (version.outcome === 'completed' || version.outcome === 'eval_rejected') {
        if (version === source.current) return undefined
        version.done.clear()
      }
      delete version.outcome
      delete version.problem
      if ([...sources.values()].some((other) => other !== source && comesFirst(other, source))) {
        version.outcome = 'duplicate_skipped'
        return undefined
      }
      return { ...version.run, done: [...version.done] }
    },
    async readOriginal(run) {
      return findVersion(run).original
    },
    async saveText(run, text) {
      findVersion(run).text = text
    },
    async readText(run) {
      return findVersion(run).text ?? { mediaType: 'text/plain', segments: [] }
    },
    async saveChunks(run, chunks) {
      findVersion(run).chunks = chunks
    },
    async readChunks(run, after, limit) {
      return findVersion(run)
        .chunks.filter(({ ordinal }) => ordinal > after)
        .slice(0, limit)
    },
    async savePatch(run, found, notes = []) {
      const withIds = found.map((fact) => ({ ...fact, id: `fct_${nextNumber()}` as FactId }))
      findVersion(run).patch =
        found.length === 0 ? undefined : { id: `pat_${nextNumber()}` as PatchId, facts: withIds, notes }
      delete findVersion(run).evaluation
    },
    async readPatch(run) {
      return findVersion(run).patch
    },
    async readActiveFacts(run, subjectKeys) {
      const { namespace } = findSource(run.sourceId)
      const known = [...facts.values()].filter(
        (fact) =>
          fact.isCurrent &&
          (fact.state === 'active' || (fact.repeats && facts.get(fact.repeats)?.sourceId === run.sourceId)) &&
          fact.namespace === namespace &&
          fact.sourceId !== run.sourceId &&
          subjectKeys.includes(fact.subjectKey),
      )
      return { facts: known, corrected: [], revision }
    },
    async saveEvaluation(run, evaluation) {
      findVersion(run).evaluation = evaluation
    },
    async readEvaluation(run) {
      return findVersion(run).evaluation
    },
    async apply(run, outcome) {
      const version = findVersion(run)
      const source = findSource(run.sourceId)
      if (version.outcome !== undefined) return 'applied'
      if ((version.evaluation?.against ?? revision) < revision) return 'stale'
      const isDecided = version.patch ? version.evaluation?.verdict === 'approve' : outcome === 'completed'
      if (isDecided) for (const [factId, fact] of facts) if (fact.sourceId === run.sourceId) retire(factId)
      applyPatch(run, version, source)
      resolveRepeats()
      source.current = version
      version.outcome = outcome
      return 'applied'
    },
    async fail(run, problem) {
      const version = findVersion(run)
      version.outcome = 'failed'
      version.problem = problem
    },
    async recordPhase(run, phase, progress) {
      if (progress === 'done') findVersion(run).done.add(phase)
    },
  }

  return {
    store,
    async addSource({ text, title = 'A source', namespace = 'general', sourceId }: AddedSource) {
      const id = sourceId ?? (`src_${nextNumber()}` as SourceId)
      const source = sources.get(id) ?? { namespace, versions: [], queued: undefined, requestedAt: '' }
      sources.set(id, source)
      const same = source.versions.find((one) => one.written === text)
      const version: Version = same ?? {
        run: {
          id: `ing_${nextNumber()}` as IngestRunId,
          reflectionId: 'rfl_test' as ReflectionId,
          sourceId: id,
          title,
          displayName: 'Ada Holm',
          approval: given.approval ?? 'by_rule',
        },
        written: text,
        original: { bytes: encodeUtf8(text), mediaType: 'text/plain' },
        done: new Set(),
        chunks: [],
        patch: undefined,
      }
      if (!same) source.versions.push(version)
      source.queued = version
      source.requestedAt = nextNumber()
      return id
    },
    async factsOf(sourceId) {
      return [...facts.values()].filter((fact) => fact.sourceId === sourceId)
    },
    async chunksOf(sourceId) {
      return findSource(sourceId).current?.chunks.map(({ text }) => text) ?? []
    },
    async endOf(sourceId) {
      const { outcome, problem } = findSource(sourceId).queued ?? {}
      return { ...(outcome && { outcome }), ...(problem !== undefined && { problem }) }
    },
  }
}

/** Whether a source has the bytes of another already, or was queued with them earlier. */
function comesFirst(source: StoredSource, other: StoredSource): boolean {
  if (source.namespace !== other.namespace || source.queued?.written !== other.queued?.written) return false
  const outcome = source.queued?.outcome
  return outcome === undefined
    ? source.requestedAt < other.requestedAt
    : outcome === 'completed' || outcome === 'eval_rejected'
}

const isActive = ({ state, isCurrent }: StoredFact): boolean => state === 'active' && isCurrent

const isSameFact = (fact: Omit<MemoryFact, 'state'>, known: MemoryFact): boolean =>
  fact.namespace === known.namespace &&
  fact.subjectKey === known.subjectKey &&
  fact.predicate === known.predicate &&
  fact.objectKey === known.objectKey &&
  (fact.validFrom === undefined || fact.validFrom === known.validFrom || ONE_AT_A_TIME.has(fact.predicate))

/** Encodes as UTF-8. The core has no `TextEncoder`. */
function encodeUtf8(text: string): Uint8Array {
  const written = encodeURIComponent(text.toWellFormed())
  const bytes = new Uint8Array(written.length)
  let length = 0
  for (let at = 0; at < written.length; at += 1) {
    const isEscaped = written.charAt(at) === '%'
    bytes[length] = isEscaped ? Number.parseInt(written.slice(at + 1, at + 3), 16) : written.charCodeAt(at)
    length += 1
    if (isEscaped) at += 2
  }
  return bytes.slice(0, length)
}
