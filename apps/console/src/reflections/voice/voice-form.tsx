import type { ChangeReflection, Reflection } from '@parley/contracts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { useReflectionChange } from '../use-reflection.ts'
import { StockVoices } from './stock-voices.tsx'
import { VoiceOption } from './voice-option.tsx'
import { type ChosenVoice, chosenOf, voiceWanted } from './voice-wanted.ts'

/** Chosen and then saved, so that going through the choices by keys changes no voice. */
export function VoiceForm({ reflection }: { reflection: Reflection }) {
  const [edited, setEdited] = useState<ChosenVoice>()
  const chosen = edited ?? chosenOf(reflection.voice)
  const wanted = voiceWanted(chosen, reflection.voice)
  const save = useReflectionChange(reflection.id, (reflections, change: ChangeReflection) =>
    reflections.change({ reflectionId: reflection.id, ...change }),
  )
  const isHeld = wanted === undefined || save.isPending
  return (
    <form
      aria-label="Voice"
      className="flex max-w-xl flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (wanted && !save.isPending) save.mutate(wanted, { onSuccess: () => setEdited(undefined) })
      }}
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">Voice</legend>
        <VoiceOption
          label="No voice"
          help="It can be typed with, and not spoken with."
          checked={chosen.kind === 'none'}
          onChoose={() => setEdited({ kind: 'none' })}
        />
        <VoiceOption
          label="A voice made from a person’s"
          help="By its id at the voice provider."
          checked={chosen.kind === 'clone'}
          onChoose={() => setEdited({ kind: 'clone', voiceId: '', consent: false })}
        />
        <p className="pt-2 text-sm leading-6">Or one of the provider’s own:</p>
        <StockVoices chosen={chosen} onChoose={setEdited} />
      </fieldset>
      {chosen.kind === 'clone' && (
        <div className="border-line flex flex-col gap-3 border-s ps-4">
          <TextField
            label="Id of the voice"
            spellCheck={false}
            autoCapitalize="none"
            maxLength={200}
            value={chosen.voiceId}
            onChange={(event) => setEdited({ ...chosen, voiceId: event.target.value })}
          />
          <label className="flex items-baseline gap-2 text-sm leading-6">
            <input
              type="checkbox"
              checked={chosen.consent}
              onChange={(event) => setEdited({ ...chosen, consent: event.target.checked })}
            />
            <span>
              The person whose voice it is agrees that this reflection speaks with it
              <span className="text-soft block">That you said so, and when, is on record.</span>
            </span>
          </label>
        </div>
      )}
      <div className="flex items-center gap-3">
        <Button type="submit" look="main" aria-disabled={isHeld}>
          Save
        </Button>
        <p role="status" className="text-soft text-sm">
          {save.isSuccess && !edited && 'Saved.'}
        </p>
      </div>
      {save.error && <Notice>{messageOf(save.error)}</Notice>}
    </form>
  )
}
