import { type ComponentType, useEffect } from 'react'
import type { ApiClient } from '@parley/api-client'
import {
  type ReflectionId,
  SessionId,
  type StartedSession,
  type VoiceSessionResponse,
} from '@parley/contracts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { createRequiredContext } from '../ui/required-context.ts'

/** Options of a new conversation. The server checks them. */
export interface TalkOptions {
  readonly isOffRecord: boolean
  readonly isInterview: boolean
}

/** The services of a conversation page, for members and visitors. */
export interface TalkHost {
  readonly who: 'member' | 'visitor'
  readonly name: string
  readonly client: ApiClient
  readonly storage: BrowserStorage
  readonly startText: (options: TalkOptions) => Promise<StartedSession>
  readonly startVoiceConversation: (options: TalkOptions) => Promise<VoiceSessionResponse>
  /** Whether the reflection has a voice; the interviewer always has one. */
  readonly hasVoice: boolean
  readonly sessionId: SessionId | undefined
  /** Puts the session into the address, so a reload finds it. */
  readonly openSession: (sessionId: SessionId | undefined) => void
  /** Asks before leaving a running call. */
  readonly LeaveGuard: ComponentType<LeaveGuardProps>
  /** Whether a new conversation can start here. */
  readonly mayBegin: boolean
  /** For visitors: checks whether the link still works. */
  readonly refresh?: () => unknown
  /** For visitors: whether the reflection may learn from the conversation. */
  readonly isLearnedFrom?: boolean
  /** For members: links and options that visitors do not have. */
  readonly member?: MemberHost
}

export interface MemberHost {
  readonly reflectionId: ReflectionId
  /** The requirements for voice calls that are not met, each as part of a sentence. */
  readonly voiceProblems: readonly string[]
  /** Owners only: they confirm consent for a voice. */
  readonly mayChooseVoice: boolean
  /** Operators and above, who may speak for the person. */
  readonly mayBeInterviewed: boolean
  /** The next interview topics, in order. */
  readonly loadNextTopics: () => Promise<readonly string[]>
  readonly SessionLink: ComponentType<{ readonly sessionId: SessionId }>
  readonly PageLink: ComponentType<{ readonly page: 'voice-settings' | 'runtime' }>
}

export interface LeaveGuardProps {
  /** Whether leaving would end a call. */
  readonly isCallActive: boolean
  /** Whether this session belongs to the running call, which puts it into the address. */
  readonly isOfCall: (session: SessionId | undefined) => boolean
}

export const [TalkHostContext, useTalkHost] = createRequiredContext<TalkHost>('TalkHostContext')

/** Checks again when a new conversation is about to be offered. */
export function useMayBegin(): boolean {
  const { mayBegin, refresh } = useTalkHost()
  useEffect(() => void refresh?.(), [refresh])
  return mayBegin
}

export function parseSessionParam(search: Readonly<Record<string, unknown>>): {
  readonly session?: SessionId
} {
  const { data } = SessionId.safeParse(search['session'])
  return data ? { session: data } : {}
}
