import type { Namespace, Source } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { readAllSources } from '../sources/read-all-sources.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { publishInWords } from './publish-in-words.ts'

interface PublishQuestionProps {
  readonly namespace: Namespace
  readonly onClose: () => void
}

/** Says exactly which sources become public, or are so no more, before that is done. */
export function PublishQuestion({ namespace, onClose }: PublishQuestionProps) {
  const { name } = namespace
  // What it was when it was asked, so that the question does not turn around once it is done.
  const [isPublished] = useState(namespace.isPublished)
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const sources = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'sources', 'of', name],
    queryFn: () => readAllSources(client.reflections, reflectionId, name),
    gcTime: 0,
  })
  const change = useReflectionChange(reflectionId, (reflections) =>
    reflections[isPublished ? 'unpublish' : 'publish']({ reflectionId, namespaces: [name] }),
  )
  return (
    <Question
      label={isPublished ? `Unpublish ${name}` : `Publish ${name}`}
      yes={isPublished ? 'Make it private' : 'Make it public'}
      no={isPublished ? 'Keep it public' : 'Keep it private'}
      look={isPublished ? 'alarm' : 'main'}
      mayYes={sources.isSuccess}
      doing={{ ...change, mutate: () => change.mutate(undefined, { onSuccess: onClose }) }}
      onClose={onClose}
    >
      {sources.isPending && <p className="text-soft">Looking up what is in it…</p>}
      {sources.error && (
        <Notice action={<Button onClick={() => void sources.refetch()}>Try again</Button>}>
          {messageOf(sources.error)}
        </Notice>
      )}
      {sources.data && <What sources={sources.data} name={name} isPublished={isPublished} />}
    </Question>
  )
}

interface WhatProps {
  readonly sources: readonly Source[]
  readonly name: string
  readonly isPublished: boolean
}

/** So many lines are in sight at once. */
const FITS = 9

function What({ sources, name, isPublished }: WhatProps) {
  return (
    <>
      <p className="max-w-prose">{publishInWords({ name, isPublished, count: sources.length })}</p>
      {sources.length > 0 && (
        <ul
          aria-label={`Sources in ${name}`}
          tabIndex={0}
          className="border-line max-h-60 list-disc overflow-y-scroll rounded-md border py-1 ps-7"
        >
          {sources.map(({ id, title }) => (
            <li key={id} className="wrap-anywhere">
              {visibleText(title)}
            </li>
          ))}
        </ul>
      )}
      {sources.length > FITS && (
        <p className="text-soft">The list scrolls: it has {sources.length} sources.</p>
      )}
      {!isPublished && (
        <p className="max-w-prose">What is added to {name} later is public too, as soon as it is learned.</p>
      )}
    </>
  )
}
