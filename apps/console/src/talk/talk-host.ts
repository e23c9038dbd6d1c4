import type { ApiClient } from '@parley/api-client'
import type { ReflectionId, SessionId, StartedSession, VoiceSessionResponse } from '@parley/contracts'
import { type ComponentType, createContext, use, useEffect } from 'react'
import type { Keep } from '../app/keep.ts'

/** What a talk is to be; the server says what of it may be. */
export interface Wish {
  readonly isOffRecord: boolean
  readonly isInterview: boolean
}

/** What the page of a talk works with, whoever talks. */
export interface TalkHost {
  readonly who: 'member' | 'visitor'
  /** Who is talked with. */
  readonly name: string
  readonly client: ApiClient
  readonly keep: Keep
  readonly start: (wish: Wish) => Promise<StartedSession>
  readonly speak: (wish: Wish) => Promise<VoiceSessionResponse>
  /** Whether it speaks aloud as itself, as far as that is known; an interviewer does in any case. */
  readonly hasVoice: boolean
  /** The session that the address names. */
  readonly sessionId: SessionId | undefined
  /** Puts it into the address, where a reload finds it. */
  readonly openSession: (sessionId: SessionId | undefined) => void
  /** Asks before a call that is on is left. */
  readonly LeaveQuestion: ComponentType<LeaveQuestionProps>
  /** Whether another conversation can be begun here, as far as that is known. */
  readonly mayBegin: boolean
  /** Of visitors, whose link may be over meanwhile: sees whether it is. */
  readonly lookAgain?: () => unknown
  /** Of visitors, who are told so before they begin. */
  readonly isLearnedFrom?: boolean
  /** Of members, who can go elsewhere from here. */
  readonly member?: MemberOfTalk
}

export interface MemberOfTalk {
  readonly reflectionId: ReflectionId
  /** What keeps it from speaking aloud, each as a sentence's part. */
  readonly missingOfVoice: readonly string[]
  /** Owners, whose word it takes that a voice may be used. */
  readonly mayChooseVoice: boolean
  /** Operators and above, whose words are those of whom it is of. */
  readonly mayBeInterviewed: boolean
  /** What an interview would ask about next, in order. */
  readonly asksNext: () => Promise<readonly string[]>
  readonly SessionLink: ComponentType<{ readonly sessionId: SessionId }>
  readonly WayLink: ComponentType<{ readonly way: 'voice-settings' | 'runtime' }>
}

export interface LeaveQuestionProps {
  /** Whether a call would be cut off. */
  readonly isOn: boolean
  /** Whether an address that names this session is the call's own: it puts its session there itself. */
  readonly isItsOwn: (session: SessionId | undefined) => boolean
}

export const TalkHostContext = createContext<TalkHost | undefined>(undefined)

export function useTalkHost(): TalkHost {
  const host = use(TalkHostContext)
  if (!host) throw new Error('This part of the page belongs to a talk.')
  return host
}

/** Asked anew where it is about to be offered. */
export function useMayBegin(): boolean {
  const { mayBegin, lookAgain } = useTalkHost()
  useEffect(() => void lookAgain?.(), [lookAgain])
  return mayBegin
}
