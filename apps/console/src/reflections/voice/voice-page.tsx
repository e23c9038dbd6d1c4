import { missingOfVoice } from '@parley/contracts'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { LearnFromVisitors } from './learn-from-visitors.tsx'
import { VoiceForm } from './voice-form.tsx'
import { voiceInWords } from './voice-in-words.ts'

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
