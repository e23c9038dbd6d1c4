import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import {
  type ChangeReflection,
  type ProviderVoice,
  type Reflection,
  type ReflectionVoice,
  findVoiceProblems,
} from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField, CheckField } from '../../ui/field.tsx'
import { getErrorMessage } from '../../ui/error-message.ts'
import { Notice, ErrorNotice, Status } from '../../ui/notice.tsx'
import { Intro, PageBody, Section } from '../../ui/page-body.tsx'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { Loading } from '../../ui/query-state.tsx'
import { Form } from '../../ui/form.tsx'

/** The voice of a reflection, its status, and whether it learns from visitors. */
export function VoicePage() {
  const { reflection, rights } = useOpenReflection()
  const missing = findVoiceProblems(reflection.voice)
  return (
    <PageBody>
      <Section title="Status">
        <p
          role="status"
          className={`border-s-2 ps-3 text-sm leading-6 ${missing.length === 0 ? 'border-accent' : 'border-edge'}`}
        >
          {describeVoice(reflection.voice)}
        </p>
        <Intro>
          Typed conversations and interviews need no voice. A cloned voice needs the person’s consent. Stock
          voices need no consent.
        </Intro>
      </Section>
      <Section title="Voice">
        {rights.role === 'owner' ? (
          <VoiceForm reflection={reflection} />
        ) : (
          <p className="text-sm leading-6">Only an owner of this reflection can choose the voice.</p>
        )}
      </Section>
      <Section title="Visitors">
        <LearnFromVisitors reflection={reflection} isOwner={rights.role === 'owner'} />
      </Section>
    </PageBody>
  )
}

/** The voice in use, or the reasons why voice calls are not available. */
export function describeVoice(voice: ReflectionVoice | undefined): string {
  const missing = findVoiceProblems(voice)
  if (missing.length > 0) return `Voice calls are not available yet: ${missing.join(', and ')}.`
  return voice?.kind === 'clone'
    ? `Voice ready: ${voice.voiceId}, a cloned voice used with consent.`
    : `Voice ready: ${voice?.voiceId}, a stock voice.`
}

function LearnFromVisitors({ reflection, isOwner }: { reflection: Reflection; isOwner: boolean }) {
  const { id: reflectionId, shareIngestion } = reflection
  const change = useReflectionChange(reflectionId, (reflections, isLearning: boolean) =>
    reflections.change({ reflectionId, shareIngestion: isLearning }),
  )
  // Shown at once; the server's value is used again after its answer.
  const [chosen, setChosen] = useState<boolean>()
  const choose = (isLearning: boolean) => {
    if (change.isPending) return
    setChosen(isLearning)
    change.mutate(isLearning, { onSettled: () => setChosen(undefined) })
  }
  return (
    <>
      <CheckField
        label="Learn from visitors"
        help={`Their messages are saved in the folder conversations and never quoted to others. Facts from them are used once a person approves them.${isOwner ? '' : ' Only an owner of this reflection can change this.'}`}
        checked={chosen ?? shareIngestion}
        disabled={!isOwner}
        onCheck={choose}
      />
      <ErrorNotice error={change.error} />
    </>
  )
}

/** Saved by a button, so that moving through the choices with the keyboard changes nothing. */
function VoiceForm({ reflection }: { reflection: Reflection }) {
  const [edited, setEdited] = useState<ChosenVoice>()
  const chosen = edited ?? toChosenVoice(reflection.voice)
  const change = toVoiceChange(chosen, reflection.voice)
  const save = useReflectionChange(reflection.id, (reflections, voice: ChangeReflection) =>
    reflections.change({ reflectionId: reflection.id, ...voice }),
  )
  const isDisabled = change === undefined || save.isPending
  return (
    <Form
      aria-label="Voice"
      className="flex max-w-xl flex-col gap-4"
      onSubmit={() => {
        if (change && !save.isPending) save.mutate(change, { onSuccess: () => setEdited(undefined) })
      }}
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">Voice</legend>
        <VoiceOption
          label="No voice"
          help="Text conversations only."
          checked={chosen.kind === 'none'}
          onCheck={() => setEdited({ kind: 'none' })}
        />
        <VoiceOption
          label="Cloned voice"
          help="Enter its ID at the voice provider."
          checked={chosen.kind === 'clone'}
          onCheck={() => setEdited({ kind: 'clone', voiceId: '', consent: false })}
        />
        <p className="pt-2 text-sm leading-6">Stock voices:</p>
        <StockVoices chosen={chosen} onChoose={setEdited} />
      </fieldset>
      {chosen.kind === 'clone' && (
        <div className="border-line flex flex-col gap-3 border-s ps-4">
          <TextField
            label="Voice ID"
            spellCheck={false}
            autoCapitalize="none"
            maxLength={200}
            value={chosen.voiceId}
            onChange={(event) => setEdited({ ...chosen, voiceId: event.target.value })}
          />
          <CheckField
            label="The person agrees that this reflection uses their voice"
            help="Your confirmation and its time are recorded."
            checked={chosen.consent}
            onCheck={(consent) => setEdited({ ...chosen, consent })}
          />
        </div>
      )}
      <div className="flex items-center gap-3">
        <Button type="submit" variant="primary" aria-disabled={isDisabled}>
          Save
        </Button>
        <Status>{save.isSuccess && !edited && 'Saved.'}</Status>
      </div>
      <ErrorNotice error={save.error} />
    </Form>
  )
}

/** The provider's stock voices. The chosen voice is always listed. */
function StockVoices({ chosen, onChoose }: { chosen: ChosenVoice; onChoose: (voice: ChosenVoice) => void }) {
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
    staleTime: STALE_MS,
  })
  return (
    <div className="border-line my-1 flex h-60 flex-col overflow-y-auto rounded-md border px-3 py-2">
      {isPending && <Loading className="py-1">Loading voices…</Loading>}
      {listStockVoices(data, chosen).map(({ voiceId, name, description }) => (
        <VoiceOption
          key={voiceId}
          label={escapeInvisible(name)}
          help={description && escapeInvisible(description)}
          checked={chosen.kind === 'stock' && chosen.voiceId === voiceId}
          onCheck={() => onChoose({ kind: 'stock', voiceId })}
        />
      ))}
      {error && (
        <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>
          Could not load the voices: {getErrorMessage(error)}
        </Notice>
      )}
      {data.length === 0 && !isPending && !error && (
        <p className="text-soft py-1 text-sm">No voice provider is configured on this server.</p>
      )}
    </div>
  )
}

const STALE_MS = 300_000

const listStockVoices = (
  voices: readonly ProviderVoice[],
  chosen: ChosenVoice,
): readonly Omit<ProviderVoice, 'kind'>[] => {
  const stock = voices.filter(({ kind }) => kind === 'stock')
  if (chosen.kind !== 'stock' || stock.some(({ voiceId }) => voiceId === chosen.voiceId)) return stock
  return [{ voiceId: chosen.voiceId, name: chosen.voiceId }, ...stock]
}

const VoiceOption = (props: Omit<ComponentProps<typeof CheckField>, 'type' | 'name'>) => (
  <CheckField type="radio" name="voice" {...props} />
)

/** The choice in the form: a stock voice, a cloned voice, or none. */
export type ChosenVoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'stock'; readonly voiceId: string }
  | { readonly kind: 'clone'; readonly voiceId: string; readonly consent: boolean }

export function toChosenVoice(voice: ReflectionVoice | undefined): ChosenVoice {
  if (!voice) return { kind: 'none' }
  const { voiceId, kind, consent } = voice
  return kind === 'stock' ? { kind, voiceId } : { kind, voiceId, consent }
}

/** The change to save; undefined if nothing changed or the form is incomplete. */
export function toVoiceChange(
  chosen: ChosenVoice,
  current: ReflectionVoice | undefined,
): ChangeReflection | undefined {
  // Saving an unlisted voice again makes the server look for it again.
  if (JSON.stringify(chosen) === JSON.stringify(toChosenVoice(current)) && !current?.isUnlisted)
    return undefined
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
