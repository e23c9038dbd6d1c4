import { useState } from 'react'
import { type Reflection, type ReflectionVoice, missingOfVoice } from '@parley/contracts'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { VoiceForm } from './voice-form.tsx'

/** The voice that a reflection speaks with, what still keeps it from speaking, and whether visitors are learned from. */
export function VoicePage() {
  const { reflection, rights } = useOpenReflection()
  const missing = missingOfVoice(reflection.voice)
  return (
    <PageBody>
      <Section title="Speaking">
        <p
          role="status"
          className={`border-s-2 ps-3 text-sm leading-6 ${missing.length === 0 ? 'border-accent' : 'border-edge'}`}
        >
          {voiceInWords(reflection.voice)}
        </p>
        <p className="text-soft max-w-prose text-sm leading-6">
          Typed conversations and interviews need no voice. A voice made from a person’s needs their consent;
          one of the provider’s own is nobody’s.
        </p>
      </Section>
      <Section title="Voice">
        {rights.role === 'owner' ? (
          <VoiceForm reflection={reflection} />
        ) : (
          <p className="text-sm leading-6">Only an owner of this reflection says which voice may be used.</p>
        )}
      </Section>
      <Section title="What visitors say">
        <LearnFromVisitors reflection={reflection} isOwner={rights.role === 'owner'} />
      </Section>
    </PageBody>
  )
}

/** Whether a reflection may be spoken with, and what is missing where it may not. */
export function voiceInWords(voice: ReflectionVoice | undefined): string {
  const missing = missingOfVoice(voice)
  if (missing.length > 0) return `It cannot be spoken with yet: ${missing.join(', and ')}.`
  return voice?.kind === 'clone'
    ? `It speaks with the voice ${voice.voiceId}, made from a person’s, with their consent.`
    : `It speaks with the voice ${voice?.voiceId}, one of the provider’s own.`
}

interface LearnFromVisitorsProps {
  readonly reflection: Reflection
  readonly isOwner: boolean
}

function LearnFromVisitors({ reflection, isOwner }: LearnFromVisitorsProps) {
  const { id: reflectionId, shareIngestion } = reflection
  const change = useReflectionChange(reflectionId, (reflections, wanted: boolean) =>
    reflections.change({ reflectionId, shareIngestion: wanted }),
  )
  // Shown at once; what the server holds counts again once it has answered.
  const [wanted, setWanted] = useState<boolean>()
  const choose = (isWanted: boolean) => {
    if (change.isPending) return
    setWanted(isWanted)
    change.mutate(isWanted, { onSettled: () => setWanted(undefined) })
  }
  return (
    <>
      <label className="flex items-baseline gap-2 text-sm leading-6">
        <input
          type="checkbox"
          checked={wanted ?? shareIngestion}
          disabled={!isOwner}
          onChange={(event) => choose(event.target.checked)}
        />
        <span>
          Learn from what visitors say
          <span className="text-soft block max-w-prose">
            What they say is kept in the namespace conversations, is never quoted to another, and counts once
            a person has approved it. {!isOwner && 'Only an owner of this reflection can change this.'}
          </span>
        </span>
      </label>
      {change.error && <Notice>{messageOf(change.error)}</Notice>}
    </>
  )
}
