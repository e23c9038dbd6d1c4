import {
  type AddSource,
  type ReflectionId,
  Source,
  type SourceId,
  SourcePage,
  SourceText,
} from '@parley/contracts'
import { type Api, ask, queryOf } from '../request.ts'
import { at, type OfReflection, type PageOf, type PageQuery } from './of-reflection.ts'

/** A file to learn from, or a text. */
export type SourceToAdd =
  | AddSource
  | { readonly title: string; readonly namespace: string; readonly file: Blob; readonly fileName: string }

interface OneSource extends OfReflection {
  readonly sourceId: SourceId
}

/** What a reflection learns from. */
export interface SourcesClient {
  /** With the id of a source, this is a new version of it. */
  addSource(reflectionId: ReflectionId, source: SourceToAdd, sourceId?: SourceId): Promise<Source>
  sources(page: PageQuery & OfReflection & { readonly namespace?: string }): Promise<PageOf<Source>>
  source(source: OneSource): Promise<Source>
  /** What it says, from a passage on; with words, from where they stand. */
  sourceText(
    text: OneSource & { readonly after?: number; readonly limit?: number; readonly words?: string },
  ): Promise<SourceText>
  removeSource(source: OneSource): Promise<Source>
}

export const createSourcesClient = (api: Api): SourcesClient => ({
  addSource: (reflectionId, source, sourceId) =>
    sourceId === undefined
      ? ask(api, Source, 'POST', at(reflectionId, 'sources'), bodyOf(source))
      : ask(api, Source, 'PUT', at(reflectionId, 'sources', sourceId), bodyOf(source)),
  sources: ({ reflectionId, ...page }) =>
    ask(api, SourcePage, 'GET', `${at(reflectionId, 'sources')}${queryOf({ ...page })}`),
  source: ({ reflectionId, sourceId }) => ask(api, Source, 'GET', at(reflectionId, 'sources', sourceId)),
  sourceText: ({ reflectionId, sourceId, ...from }) =>
    ask(api, SourceText, 'GET', `${at(reflectionId, 'sources', sourceId, 'text')}${queryOf({ ...from })}`),
  removeSource: ({ reflectionId, sourceId }) =>
    ask(api, Source, 'DELETE', at(reflectionId, 'sources', sourceId)),
})

/** A large file over a slow line. */
const LONGEST_UPLOAD_MS = 600_000

function bodyOf(source: SourceToAdd) {
  const signal = AbortSignal.timeout(LONGEST_UPLOAD_MS)
  if (!('file' in source)) return { body: source, signal }
  const form = new FormData()
  form.set('title', source.title)
  form.set('namespace', source.namespace)
  form.set('file', source.file, source.fileName)
  return { form, signal }
}
