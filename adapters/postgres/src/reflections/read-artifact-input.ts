import type { Namespace, ReflectionId } from '@parley/contracts'
import { isCreator } from '@parley/knowledge'
import type { ArtifactBuild } from '@parley/reflections'
import { NOT_WITHHELD } from '../knowledge/facts.ts'
import { findRecord, listRecords } from '../records.ts'
import type { Run } from '../run-statements.ts'
import { statement } from '../statement.ts'

/** The limit for public and for private evidence, separately: private facts must not displace public ones. */
const MAX_EVIDENCE = 400

/** The known facts and published namespaces; `asIfPublished` replaces the published ones. */
export async function readArtifactInput(
  execute: Run,
  reflectionId: ReflectionId,
  asIfPublished?: readonly string[],
): Promise<ArtifactBuild['input'] | undefined> {
  const reflection = await findRecord<NamedReflection>(execute(READ_REFLECTION, [reflectionId]))
  if (!reflection) return undefined
  const { namespaces, ...names } = reflection
  const { displayName, creatorName = displayName, formerNames = [] } = names
  const subjects = await execute<{ subject: string }>(READ_SUBJECTS, [reflectionId])
  const creatorSubjects = subjects
    .map(({ subject }) => subject)
    .filter((subject) =>
      [creatorName, ...formerNames].some((name) => isCreator(subject, { displayName, creatorName: name })),
    )
  const publishedNamespaces = namespaces
    .filter(({ name, isPublished }) => asIfPublished?.includes(name) ?? isPublished)
    .map(({ name }) => name)
  const values = [reflectionId, creatorSubjects, MAX_EVIDENCE, publishedNamespaces]
  return {
    ...names,
    evidence: await listRecords(execute(READ_FACTS, values)),
    namespaces: namespaces.map(({ name }) => name),
    publishedNamespaces,
  }
}

interface NamedReflection extends Pick<
  ArtifactBuild['input'],
  'displayName' | 'creatorName' | 'formerNames'
> {
  readonly namespaces: readonly Namespace[]
}

const READ_REFLECTION =
  statement(`select r.display_name, r.creator_name, nullif(r.former_names, '{}') as former_names,
    (select json_agg(json_build_object('name', n.name, 'isPublished', n.is_published) order by n.name)
      from namespaces n where n.reflection_id = r.id) as namespaces
  from reflections r where r.id = $1 and r.removed_at is null`)

const READ_SUBJECTS = statement(`select distinct subject from facts
  where reflection_id = $1 and state = 'active' and superseded_at is null`)

// Facts about the creator first, and the latest if there are too many; then the oldest first. For a correction the
// statement replaces the quote.
const READ_FACTS = statement(`with known as (
    select f.id, n.name as namespace, f.subject, f.predicate, f.object, f.statement, s.id as source_id,
      coalesce(f.valid_from, f.valid_to) is not null as is_dated,
      case when f.is_confided then f.statement else f.evidence -> 0 ->> 'quote' end as quote, f.subject = any($2::text[]) as is_creator, f.created_at, f.patch_id,
      f.ordinal,
      row_number() over (
        partition by n.name = any($4::text[]) order by f.subject = any($2::text[]) desc, f.created_at desc, f.id
      ) as rank
    from facts f
    join namespaces n on n.id = f.namespace_id
    join sources s on s.id = coalesce(f.source_id, f.evidence -> 0 ->> 'sourceId')
    where f.reflection_id = $1 and f.state = 'active' and f.superseded_at is null and ${NOT_WITHHELD}
      and f.evidence -> 0 ->> 'quote' <> '' and f.statement <> '' and f.predicate <> '' and f.subject <> ''
  )
  select id as fact_id, namespace, subject, is_creator as is_of_creator, predicate, object, is_dated, statement,
    source_id, quote from known where rank <= $3
  order by is_creator desc, created_at, patch_id, ordinal, id`)
