import {
  type Audience,
  CONVERSATIONS,
  type MemberRole,
  type Reflection,
  type ReflectionId,
  type RetrievalResult,
} from '@parley/contracts'
import type { RetrievalScope } from '@parley/knowledge'
import { canReadConfidential } from '../access/confidential.ts'
import type { NamespaceReach } from '../access/session-role.ts'
import { refuseUnknownNamespace } from '../access/visible-namespaces.ts'
import { createRetrievalScope } from './retrieve-for-session.ts'

export interface MemberQuestion {
  readonly query: string
  readonly limit: number
  readonly audience: Audience
  /** Absent for all namespaces. */
  readonly namespaces?: readonly string[]
}

/** The member who asks. */
interface QuestionAuthor {
  readonly role: MemberRole
  /** Set for a member who does not reach everything. */
  readonly reach?: NamespaceReach | undefined
}

/** Finds the evidence for a question outside of any session. */
export type AskQuestion = (
  question: MemberQuestion,
  author: QuestionAuthor,
  reflection: Reflection,
  signal: AbortSignal,
) => Promise<RetrievalResult>

interface AskQuestionHost {
  readonly search: (
    question: Pick<MemberQuestion, 'query' | 'limit'>,
    scope: RetrievalScope,
    signal: AbortSignal,
  ) => Promise<RetrievalResult>
  readonly publicScopes: {
    create(scope: PreviewScope): Promise<Uint8Array>
    end(previewId: string): Promise<void>
  }
  /** A new random text. */
  readonly createPreviewId: () => string
}

interface PreviewScope {
  readonly sessionId: string
  readonly reflectionId: ReflectionId
  readonly namespaces?: readonly string[]
}

/** A public question searches what a public session sees: it gets a scope of its own, which ends with the answer. */
export const createAskQuestion =
  ({ search, publicScopes, createPreviewId }: AskQuestionHost): AskQuestion =>
  async (question, author, reflection, signal) => {
    refuseUnknownNamespace(question, reflection)
    const { query, limit, audience, namespaces } = question
    if (audience === 'private') {
      const onlyFactsOf = canReadConfidential(author.role) ? [] : [CONVERSATIONS]
      const reader = { audience, onlyFactsOf, capability: author.reach?.capability }
      return search({ query, limit }, createRetrievalScope(reflection, reader, namespaces), signal)
    }
    const sessionId = `preview_${createPreviewId()}`
    const capability = await publicScopes.create({
      sessionId,
      reflectionId: reflection.id,
      ...(namespaces && { namespaces }),
    })
    try {
      const scope = createRetrievalScope(reflection, { audience, capability }, namespaces)
      return await search({ query, limit }, scope, signal)
    } finally {
      await publicScopes.end(sessionId)
    }
  }
