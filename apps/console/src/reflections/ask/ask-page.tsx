import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { AskReflection, EvidenceItem, RetrievalResult } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { stripMarkdown } from '../../markdown/strip-markdown.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, TextField } from '../../ui/field.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { SourceLink } from '../source-link.tsx'
import { PlaceView } from '../source-reference.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Form } from '../../ui/form.tsx'
import { pluralize } from '../../ui/format.ts'

type AskAudience = NonNullable<AskReflection['audience']>

const AUDIENCES: Record<AskAudience, string> = {
  private: 'Member (everything)',
  public: 'Visitor (public only)',
}

export function AskPage() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const [query, setQuery] = useState('')
  const [audience, setAudience] = useState<AskAudience>('private')
  const ask = useMutation({
    mutationFn: (question: AskReflection) => client.reflections.ask({ reflectionId, ...question }),
  })
  const isDisabled = query.trim() === '' || ask.isPending
  return (
    <PageBody>
      <Form
        aria-label="Ask"
        className="flex max-w-xl flex-col gap-3"
        isDisabled={isDisabled}
        onSubmit={() => ask.mutate({ query, audience })}
      >
        <TextField
          label="Question"
          help="Shows the evidence that a model would get. No model is called."
          maxLength={2_000}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <div className="flex flex-wrap items-end gap-2">
          <div className="w-56 max-sm:flex-1">
            <Choice
              label="Search as"
              value={audience}
              options={AUDIENCES}
              onChoose={(value) => setAudience(value === 'public' ? 'public' : 'private')}
            />
          </div>
          <Button type="submit" variant="primary" aria-disabled={isDisabled}>
            Ask
          </Button>
        </div>
      </Form>
      <ErrorNotice error={ask.error} />
      <p role="status" className="text-soft text-sm leading-6">
        {ask.isPending ? 'Searching…' : ask.data && describeResult(ask.data, ask.variables.audience)}
      </p>
      {ask.data && !ask.isPending && <EvidenceList result={ask.data} />}
    </PageBody>
  )
}

function EvidenceList({ result: { evidence } }: { result: RetrievalResult }) {
  if (evidence.length === 0) return null
  return (
    <ol aria-label="Evidence" className="divide-line border-line flex flex-col divide-y border-y">
      {evidence.map((item, index) => (
        <EvidenceView key={index} item={item} />
      ))}
    </ol>
  )
}

/** The number of results, the audience and the time it took. */
export function describeResult(
  { evidence, partial, tookMs }: RetrievalResult,
  audience: AskReflection['audience'],
): string {
  const count = evidence.length
  const results = count === 0 ? 'No results' : pluralize(count, 'result')
  const took = tookMs === undefined ? '' : ` in ${Math.max(1, Math.round(tookMs))} ms`
  const scope = audience === 'public' ? ', public only' : ''
  return `${results}${took}${scope}.${partial ? ' The search timed out, so some results may be missing.' : ''}`
}

const KINDS: Record<EvidenceItem['kind'], string> = { chunk: 'passage', fact: 'fact' }

function EvidenceView({ item }: { item: EvidenceItem }) {
  const { reflection } = useOpenReflection()
  const { kind, text, namespace, source, place, score } = item
  return (
    <li className="flex flex-col gap-1.5 py-3.5">
      <p className="text-sm leading-6 wrap-anywhere">
        <span className="font-medium">
          <SourceLink reflectionId={reflection.id} sourceId={source.id} words={kind === 'chunk' ? text : ''}>
            {escapeInvisible(source.title)}
          </SourceLink>
        </span>
        <PlaceView place={place} />
        <span className="text-soft">
          {' · '}
          {KINDS[kind]} · <span className="font-mono">{namespace}</span> · score {score.toFixed(4)}
        </span>
      </p>
      <p className="text-sm leading-6 wrap-anywhere whitespace-pre-wrap">
        {escapeInvisible(stripMarkdown(text))}
      </p>
    </li>
  )
}
