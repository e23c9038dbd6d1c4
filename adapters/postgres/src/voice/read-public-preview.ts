import { createHash } from 'node:crypto'
import type { PreviewPublish, PublishPreview, ReflectionId } from '@parley/contracts'
import { previewPublish, type PublicPreview } from '@parley/reflections'
import { IS_KNOWN } from '../knowledge/facts.ts'
import { ALL_SOURCES, IS_TOLD } from '../knowledge/sources.ts'
import type { Run } from '../queries.ts'
import { readArtifactInput } from './read-artifact-input.ts'

/** What a change of what is published would do, as things stand in this transaction. */
export async function readPublicPreview(
  within: Run,
  reflectionId: ReflectionId,
  { namespaces, publish }: PreviewPublish,
): Promise<PublicPreview | undefined> {
  const before = await readArtifactInput(within, reflectionId)
  if (!before) return undefined
  const isPublic = (name: string) => before.publishedNamespaces.includes(name)
  const published = before.namespaces.filter((name) => (namespaces.includes(name) ? publish : isPublic(name)))
  const changed = namespaces.filter((name) => isPublic(name) !== publish)
  const after = await readArtifactInput(within, reflectionId, published)
  const sources = await within<SourceRow>(READ_SOURCES, [reflectionId, changed])
  const [facts] = await within<FactsRow>(READ_FACTS, [reflectionId, changed])
  if (!after || !facts) return undefined
  return previewPublish(
    {
      before,
      after,
      sources: sources.map(({ content_hash: contentHash, ...source }) => ({ ...source, contentHash })),
      facts: { count: facts.count, idsHash: facts.ids_hash },
    },
    sha256,
  )
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

interface SourceRow extends Pick<PublishPreview['sources'][number], 'id' | 'title'> {
  readonly content_hash: string
}

interface FactsRow {
  readonly count: number
  readonly ids_hash: string
}

const READ_SOURCES = {
  name: 'read_sources_to_publish',
  text: `select id, title, content_hash from (${ALL_SOURCES}) as s
    where namespace = any($2::text[]) and ${IS_TOLD}
    order by created_at desc, id desc`,
}

const READ_FACTS = {
  name: 'read_facts_to_publish',
  text: `select count(*)::int as count,
      encode(sha256(convert_to(coalesce(string_agg(f.id, ' ' order by f.id), ''), 'UTF8')), 'hex') as ids_hash
    from facts f join namespaces n on n.id = f.namespace_id
    where f.reflection_id = $1 and n.name = any($2::text[]) and ${IS_KNOWN}`,
}
