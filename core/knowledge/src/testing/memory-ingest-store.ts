import type { FactId, IngestOutcome, IngestPhase, IngestRunId, PatchId, SourceId } from '@parley/contracts'
import { PlatformError, type ReflectionId } from '@parley/contracts'
import type {
  CandidateFact,
  Chunk,
  Evaluation,
  ExtractedText,
  IngestRun,
  IngestStore,
  Original,
} from '../ports/ingest-store.ts'
import type { AddedSource, IngestStoreUnderTest, KeptFact } from './ingest-store-under-test.ts'

interface Version {
  readonly run: Omit<IngestRun, 'done'>
  readonly written: string
  readonly original: Original
  readonly done: Set<IngestPhase>
  text?: ExtractedText
  chunks: readonly Chunk[]
  patch: { readonly id: PatchId; readonly facts: readonly CandidateFact[] } | undefined
  evaluation?: Evaluation
  outcome?: IngestOutcome
  problem?: string
}

interface KeptSource {
  readonly namespace: string
  readonly versions: Version[]
  queued: Version | undefined
  current?: Version
}

/** The obvious store: what the real one is compared with. One reflection, Ada Holm's. */
export function memoryIngestStore(given: Partial<Pick<IngestRun, 'approval'>> = {}): IngestStoreUnderTest {
  const sources = new Map<SourceId, KeptSource>()
  const facts = new Map<FactId, KeptFact & { sourceId: SourceId; namespace: string }>()
  let made = 0
  const number = () => String((made += 1)).padStart(6, '0')

  const sourceOf = (sourceId: SourceId): KeptSource => {
    const source = sources.get(sourceId)
    if (!source) throw new PlatformError('source_not_found', { sourceId })
    return source
  }
  const versionOf = (run: IngestRun): Version => {
    const version = sourceOf(run.sourceId).versions.find((one) => one.run.id === run.id)
    if (!version) throw new PlatformError('source_not_found', { sourceId: run.sourceId })
    return version
  }

  const applyPatch = (run: IngestRun, version: Version, source: KeptSource) => {
    const { patch, evaluation } = version
    if (!patch) return
    for (const fact of patch.facts) {
      const isLeftOut = evaluation?.verdict === 'reject' || evaluation?.rejected.includes(fact.id) === true
      const state = isLeftOut ? 'rejected' : evaluation?.verdict === 'approve' ? 'active' : 'candidate'
      facts.set(fact.id, {
        ...fact,
        state,
        isCurrent: true,
        sourceId: run.sourceId,
        namespace: source.namespace,
      })
    }
    if (evaluation?.verdict !== 'approve') return
    for (const { factId } of evaluation.supersedes) retire(factId)
  }
  const retire = (factId: FactId) => {
    const fact = facts.get(factId)
    if (fact) facts.set(factId, { ...fact, isCurrent: false })
  }

  const store: IngestStore = {
    async openRun(sourceId) {
      const source = sourceOf(sourceId)
      const version = source.queued
      if (!version || version.outcome !== undefined) return undefined
      return { ...version.run, done: [...version.done] }
    },
    async readOriginal(run) {
      return versionOf(run).original
    },
    async saveText(run, text) {
      versionOf(run).text = text
    },
    async readText(run) {
      return versionOf(run).text ?? { mediaType: 'text/plain', segments: [] }
    },
    async saveChunks(run, chunks) {
      versionOf(run).chunks = chunks
    },
    async readChunks(run, after, limit) {
      return versionOf(run)
        .chunks.filter(({ ordinal }) => ordinal > after)
        .slice(0, limit)
    },
    async savePatch(run, found) {
      const withIds = found.map((fact) => ({ ...fact, id: `fct_${number()}` as FactId }))
      versionOf(run).patch =
        found.length === 0 ? undefined : { id: `pat_${number()}` as PatchId, facts: withIds }
    },
    async readPatch(run) {
      return versionOf(run).patch
    },
    async activeFacts(run, subjectKeys) {
      const { namespace } = sourceOf(run.sourceId)
      return [...facts.values()].filter(
        (fact) =>
          fact.state === 'active' &&
          fact.isCurrent &&
          fact.namespace === namespace &&
          fact.sourceId !== run.sourceId &&
          subjectKeys.includes(fact.subjectKey),
      )
    },
    async saveEvaluation(run, evaluation) {
      versionOf(run).evaluation = evaluation
    },
    async readEvaluation(run) {
      return versionOf(run).evaluation
    },
    async apply(run, outcome) {
      const version = versionOf(run)
      const source = sourceOf(run.sourceId)
      if (version.outcome !== undefined) return
      const isDecided = version.patch ? version.evaluation?.verdict === 'approve' : outcome === 'completed'
      if (isDecided) for (const [factId, fact] of facts) if (fact.sourceId === run.sourceId) retire(factId)
      applyPatch(run, version, source)
      source.current = version
      version.outcome = outcome
    },
    async fail(run, problem) {
      const version = versionOf(run)
      version.outcome = 'failed'
      version.problem = problem
    },
    async notePhase(run, phase, progress) {
      if (progress === 'done') versionOf(run).done.add(phase)
    },
  }

  return {
    store,
    async addSource({ text, title = 'A source', namespace = 'general', sourceId }: AddedSource) {
      const id = sourceId ?? (`src_${number()}` as SourceId)
      const source = sources.get(id) ?? { namespace, versions: [], queued: undefined }
      sources.set(id, source)
      const same = source.versions.find((one) => one.written === text)
      const version: Version = same ?? {
        run: {
          id: `ing_${number()}` as IngestRunId,
          reflectionId: 'rfl_test' as ReflectionId,
          sourceId: id,
          title,
          displayName: 'Ada Holm',
          approval: given.approval ?? 'by_rule',
        },
        written: text,
        original: { bytes: bytesOf(text), mediaType: 'text/plain' },
        done: new Set(),
        chunks: [],
        patch: undefined,
      }
      if (!same) source.versions.push(version)
      source.queued = version
      return id
    },
    async factsOf(sourceId) {
      return [...facts.values()].filter((fact) => fact.sourceId === sourceId)
    },
    async chunksOf(sourceId) {
      return sourceOf(sourceId).current?.chunks.map(({ text }) => text) ?? []
    },
    async endOf(sourceId) {
      const { outcome, problem } = sourceOf(sourceId).queued ?? {}
      return { ...(outcome && { outcome }), ...(problem !== undefined && { problem }) }
    },
  }
}

/** In UTF-8. */
const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from(encodeURIComponent(text.toWellFormed()).match(/%..|[^]/g) ?? [], (one) =>
    one.length === 3 ? Number.parseInt(one.slice(1), 16) : one.charCodeAt(0),
  )
