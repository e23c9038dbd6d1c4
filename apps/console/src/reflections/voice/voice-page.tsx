import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type ChangeReflection,
  type ProviderVoice,
  type Reflection,
  type ReflectionVoice,
  missingOfVoice,
} from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflections.ts'

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

/** Chosen and then saved, so that going through the choices by keys changes no voice. */
function VoiceForm({ reflection }: { reflection: Reflection }) {
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

interface StockVoicesProps {
  readonly chosen: ChosenVoice
  readonly onChoose: (voice: ChosenVoice) => void
}

/** The voices of the provider, for an owner of the reflection; the one that is chosen is always shown. */
function StockVoices({ chosen, onChoose }: StockVoicesProps) {
  const { client } = useConsoleHost()
  const {
    data = [],
    error,
    isPending,
    refetch,
  } = useQuery({
    queryKey: ['voices'],
    queryFn: () => client.voices(),
    retry: false,
    staleTime: LASTS_MS,
  })
  return (
    <div className="border-line my-1 flex h-60 flex-col overflow-y-auto rounded-md border px-3 py-2">
      {isPending && <p className="animate-late text-soft py-1 text-sm">Asking the voice provider…</p>}
      {shownOf(data, chosen).map(({ voiceId, name, description }) => (
        <VoiceOption
          key={voiceId}
          label={visibleText(name)}
          help={description && visibleText(description)}
          checked={chosen.kind === 'stock' && chosen.voiceId === voiceId}
          onChoose={() => onChoose({ kind: 'stock', voiceId })}
        />
      ))}
      {error && (
        <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>
          The voice provider’s voices cannot be listed: {messageOf(error)}
        </Notice>
      )}
      {data.length === 0 && !isPending && !error && (
        <p className="text-soft py-1 text-sm">This server does not speak: no voice provider is set.</p>
      )}
    </div>
  )
}

const LASTS_MS = 300_000

const shownOf = (
  voices: readonly ProviderVoice[],
  chosen: ChosenVoice,
): readonly Omit<ProviderVoice, 'kind'>[] => {
  const stock = voices.filter(({ kind }) => kind === 'stock')
  if (chosen.kind !== 'stock' || stock.some(({ voiceId }) => voiceId === chosen.voiceId)) return stock
  return [{ voiceId: chosen.voiceId, name: chosen.voiceId }, ...stock]
}

interface VoiceOptionProps {
  readonly label: string
  readonly help?: string | undefined
  readonly checked: boolean
  readonly onChoose: () => void
}

function VoiceOption({ label, help, checked, onChoose }: VoiceOptionProps) {
  return (
    <label className="flex items-baseline gap-2 py-1 text-sm leading-6 max-sm:py-2">
      <input type="radio" name="voice" checked={checked} onChange={onChoose} />
      <span className="min-w-0 wrap-anywhere">
        {label}
        {help && <span className="text-soft block">{help}</span>}
      </span>
    </label>
  )
}

/** A voice as it was chosen: one of the provider's own by its id, one made from a person's, or none. */
export type ChosenVoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'stock'; readonly voiceId: string }
  | { readonly kind: 'clone'; readonly voiceId: string; readonly consent: boolean }

export function chosenOf(voice: ReflectionVoice | undefined): ChosenVoice {
  if (!voice) return { kind: 'none' }
  const { voiceId, kind, consent } = voice
  return kind === 'stock' ? { kind, voiceId } : { kind, voiceId, consent }
}

/** What to save; undefined where there is nothing to save, or not enough. */
export function voiceWanted(
  chosen: ChosenVoice,
  now: ReflectionVoice | undefined,
): ChangeReflection | undefined {
  // One that the provider did not have may be there by now: saved again, it is looked for again.
  if (JSON.stringify(chosen) === JSON.stringify(chosenOf(now)) && !now?.isUnlisted) return undefined
  switch (chosen.kind) {
    case 'none':
      return { voice: null }
    case 'stock':
      return { voice: { voiceId: chosen.voiceId, kind: 'stock', consent: false } }
    case 'clone': {
      const voiceId = chosen.voiceId.trim()
      return voiceId === '' ? undefined : { voice: { voiceId, kind: 'clone', consent: chosen.consent } }
    }
    default:
      return chosen satisfies never
  }
}
