import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SourceToAdd } from '@parley/api-client'
import { CONVERSATIONS, MAX_SOURCE_BYTES, type Namespace, type Reflection } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import type { Uploads } from './uploads.ts'

/** How sources are given on any page of a reflection. */
export interface Giving {
  readonly namespace: string
  readonly setNamespace: (namespace: string) => void
  /** Sends them, and leads to where their progress is seen. */
  readonly files: (files: readonly File[]) => void
  /** Text that waits for a title; undefined where none does. */
  readonly text: string | undefined
  readonly setText: (text: string | undefined) => void
  /** Shows what was pasted outside of every field. Nothing of it is kept before the person does something with it. */
  readonly showPasted: (text: string) => void
}

export function useGiving(reflection: Reflection, uploads: Uploads): Giving {
  const { id: reflectionId } = reflection
  const [namespace, setNamespace] = useState(() => firstNamespace(reflection))
  const { keep } = useConsoleHost()
  const draft = `reflection.${reflectionId}.paste`
  const [text, setText] = useState(() => keep.read(draft))
  const navigate = useNavigate()
  const goToSources = () =>
    void navigate({ to: '/reflections/$reflectionId/sources', params: { reflectionId } })
  return {
    namespace,
    setNamespace,
    files: (files) => {
      for (const file of files) {
        const why = whyNotSent(file)
        if (why === undefined) uploads.add(sourceOfFile(file, namespace))
        else uploads.refuse(sourceOfFile(file, namespace), why)
      }
      if (files.length > 0) goToSources()
    },
    text,
    setText: (given) => {
      setText(given)
      keep.write(draft, given)
      if (given !== undefined) goToSources()
    },
    showPasted: (given) => {
      setText(given)
      goToSources()
    },
  }
}

/** Where a source goes unless one says otherwise: a private namespace if there is one, so that nothing is public by oversight. */
export function firstNamespace(reflection: OfReader): string {
  const own = writableNamespaces(reflection)
  const isPrivate = own.filter(({ isPublished }) => !isPublished)
  const general = isPrivate.find(({ name }) => name === 'general')
  return (general ?? isPrivate[0] ?? own[0])?.name ?? ''
}

type OfReader = Pick<Reflection, 'namespaces' | 'reads'>

/** Where who looks may add sources: not to every namespace that they read. Transcripts have theirs to themselves. */
export const writableNamespaces = ({ namespaces, reads = 'all' }: OfReader): readonly Namespace[] =>
  namespaces.filter(({ name }) => name !== CONVERSATIONS && (reads === 'all' || reads.includes(name)))

const LONGEST_TITLE = 300

/** A file as a source, titled by its name. */
export const sourceOfFile = (file: File, namespace: string): SourceToAdd => ({
  title: file.name.slice(0, LONGEST_TITLE),
  namespace,
  file,
  fileName: file.name,
})

/** Why a file need not even be sent; undefined where it may. */
export function whyNotSent({ size }: Pick<File, 'size'>): string | undefined {
  if (size === 0) return 'The file is empty, or it is a folder. Add the files in the folder instead.'
  if (size <= MAX_SOURCE_BYTES) return undefined
  return `The file has ${Math.ceil(size / MEGA)} MB; a source has at most ${MAX_SOURCE_BYTES / MEGA} MB. Split it into several.`
}

const MEGA = 1_000_000
