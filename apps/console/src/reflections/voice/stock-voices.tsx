import type { ProviderVoice } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { VoiceOption } from './voice-option.tsx'
import type { ChosenVoice } from './voice-wanted.ts'

interface StockVoicesProps {
  readonly chosen: ChosenVoice
  readonly onChoose: (voice: ChosenVoice) => void
}

/** The voices of the provider, for an owner of the reflection; the one that is chosen is always shown. */
export function StockVoices({ chosen, onChoose }: StockVoicesProps) {
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
