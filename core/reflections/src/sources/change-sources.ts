import {
  type MemberRole,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type Source,
  type SourceId,
} from '@parley/contracts'
import { canReadSource } from '../access/confidential.ts'
import { type WritableReach, refuseWrite } from '../access/enter-reflection.ts'
import { type EndedSessions, type WithdrawHost, withdrawContent } from '../publishing/withdraw-content.ts'
import { checkNewSource, refuseTranscript } from './check-source-change.ts'

/** A member of a reflection, with what they may read of its knowledge. */
export interface KnowledgeMember<Knowledge> {
  readonly reflectionId: ReflectionId
  readonly personId: PersonId
  readonly role: MemberRole
  /** Absent for members who reach everything. */
  readonly reach: WritableReach | undefined
  /** Reads all knowledge, or only the member's reach. */
  readonly knowledge: Knowledge
}

type SourceMember = KnowledgeMember<{
  findSource(reflectionId: ReflectionId, sourceId: SourceId): Promise<Source | undefined>
}>

interface AddHost<Content> extends WithdrawHost {
  readonly reflections: {
    addSource(
      reflectionId: ReflectionId,
      content: Content,
      by: PersonId,
      sourceId?: SourceId,
    ): Promise<Source & { readonly endedSessions?: EndedSessions }>
  }
}

/** Adds a source, or a new version of a source that `findReplaceableSource` allows to replace. */
export async function addSource<Content extends Parameters<typeof checkNewSource>[0]>(
  { reflectionId, personId, reach }: Omit<SourceMember, 'knowledge'>,
  content: Content,
  host: AddHost<Content>,
  replaced?: SourceId,
): Promise<Source> {
  checkNewSource(content)
  refuseWrite(reach, [content.namespace])
  const { endedSessions, ...source } = await host.reflections.addSource(
    reflectionId,
    content,
    personId,
    replaced,
  )
  if (endedSessions) await withdrawContent(reflectionId, 'public', endedSessions.ended, host)
  return source
}

/** The source, if the member reads it. */
export async function findReadableSource(
  { reflectionId, role, knowledge }: Pick<SourceMember, 'reflectionId' | 'role' | 'knowledge'>,
  sourceId: SourceId,
): Promise<Source> {
  const source = await knowledge.findSource(reflectionId, sourceId)
  if (source && canReadSource(source, role)) return source
  throw new PlatformError('source_not_found', {
    message: `There is no source ${sourceId} in this reflection.`,
  })
}

/** The source, if the member may replace its content. */
export async function findReplaceableSource(member: SourceMember, sourceId: SourceId): Promise<Source> {
  const source = await findReadableSource(member, sourceId)
  refuseTranscript(source)
  refuseWrite(member.reach, [source.namespace])
  return source
}

interface RemoveHost extends WithdrawHost {
  readonly reflections: {
    removeSource(reflectionId: ReflectionId, sourceId: SourceId, by: PersonId): Promise<EndedSessions>
  }
}

/** Removes a source, and withdraws its content from agents and sessions. A job deletes it. */
export async function removeSource(
  member: SourceMember,
  sourceId: SourceId,
  host: RemoveHost,
): Promise<Source> {
  const { reflectionId, personId, reach } = member
  const source = await findReadableSource(member, sourceId)
  refuseWrite(reach, [source.namespace])
  const { ended } = await host.reflections.removeSource(reflectionId, source.id, personId)
  await withdrawContent(reflectionId, 'all', ended, host)
  return { ...source, state: 'removing' }
}
