import type { AskReflection, Retrieved } from '@parley/contracts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { EvidenceView } from './evidence-view.tsx'
import { foundInWords } from './found-in-words.ts'

type Audience = NonNullable<AskReflection['audience']>

const AUDIENCES: Record<Audience, string> = {
  private: 'As a member: everything',
  public: 'As the public sees it',
}

export function AskPage() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const [query, setQuery] = useState('')
  const [audience, setAudience] = useState<Audience>('private')
  const ask = useMutation({
    mutationFn: (question: AskReflection) => client.reflections.ask({ reflectionId, ...question }),
  })
  const mayAsk = query.trim() !== '' && !ask.isPending
  return (
    <PageBody>
      <form
        aria-label="Ask"
        className="flex max-w-xl flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (mayAsk) ask.mutate({ query, audience })
        }}
      >
        <TextField
          label="Question"
          help="Shows what a model would be given to answer from; no model is asked."
          maxLength={2_000}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <div className="flex flex-wrap items-end gap-2">
          <div className="w-56 max-sm:flex-1">
            <Choice
              label="Look as"
              value={audience}
              onChange={(event) => setAudience(event.target.value === 'public' ? 'public' : 'private')}
            >
              {Object.entries(AUDIENCES).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Choice>
          </div>
          <Button type="submit" look="main" aria-disabled={!mayAsk}>
            Ask
          </Button>
        </div>
      </form>
      {ask.error && <Notice>{messageOf(ask.error)}</Notice>}
      <p role="status" className="text-soft text-sm leading-6">
        {ask.isPending ? 'Looking…' : ask.data && foundInWords(ask.data, ask.variables.audience)}
      </p>
      {ask.data && !ask.isPending && <Found found={ask.data} />}
    </PageBody>
  )
}

function Found({ found: { evidence } }: { found: Retrieved }) {
  if (evidence.length === 0) return null
  return (
    <ol aria-label="Evidence" className="divide-line border-line flex flex-col divide-y border-y">
      {evidence.map((item, index) => (
        <EvidenceView key={index} item={item} />
      ))}
    </ol>
  )
}
