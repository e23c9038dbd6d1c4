import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SourceToAdd } from '@parley/api-client'
import { CONVERSATIONS, MAX_SOURCE_BYTES, type Namespace, type Reflection } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import type { Uploads } from './uploads.ts'

/** Ways to add sources from any page of a reflection. */
export interface SourceInput {
  readonly namespace: string
  readonly setNamespace: (namespace: string) => void
  /** Uploads the files and opens the sources page. */
  readonly addFiles: (files: readonly File[]) => void
  /** Text that needs a title; undefined if the paste form is closed. */
  readonly pastedText: string | undefined
  readonly setPastedText: (text: string | undefined) => void
  /** Opens the paste form with this text, without saving a draft. */
  readonly showPasted: (text: string) => void
}

export function useSourceInput(reflection: Reflection, uploads: Uploads): SourceInput {
  const { id: reflectionId } = reflection
  const [namespace, setNamespace] = useState(() => chooseDefaultNamespace(reflection))
  const { storage } = useConsoleHost()
  const draft = `reflection.${reflectionId}.paste`
  const [pastedText, setPastedText] = useState(() => storage.read(draft))
  const navigate = useNavigate()
  const goToSources = () =>
    void navigate({ to: '/reflections/$reflectionId/sources', params: { reflectionId } })
  return {
    namespace,
    setNamespace,
    addFiles: (files) => {
      for (const file of files) {
        const problem = findFileProblem(file)
        if (problem === undefined) uploads.add(fileToSource(file, namespace))
        else uploads.refuse(fileToSource(file, namespace), problem)
      }
      if (files.length > 0) goToSources()
    },
    pastedText,
    setPastedText: (text) => {
      setPastedText(text)
      storage.write(draft, text)
      if (text !== undefined) goToSources()
    },
    showPasted: (text) => {
      setPastedText(text)
      goToSources()
    },
  }
}

/** The default folder for new sources: a private one if possible, so that nothing becomes public by accident. */
export function chooseDefaultNamespace(reflection: ReadableNamespaces): string {
  const writable = listWritableNamespaces(reflection)
  const privateOnes = writable.filter(({ isPublished }) => !isPublished)
  const general = privateOnes.find(({ name }) => name === 'general')
  return (general ?? privateOnes[0] ?? writable[0])?.name ?? ''
}

type ReadableNamespaces = Pick<Reflection, 'namespaces' | 'reads'>

/** The folders that this person may add sources to. The folder of transcripts accepts none. */
export const listWritableNamespaces = ({
  namespaces,
  reads = 'all',
}: ReadableNamespaces): readonly Namespace[] =>
  namespaces.filter(({ name }) => name !== CONVERSATIONS && (reads === 'all' || reads.includes(name)))

const MAX_TITLE_LENGTH = 300

/** Turns a file into a source, with the file name as its title. */
export const fileToSource = (file: File, namespace: string): SourceToAdd => ({
  title: file.name.slice(0, MAX_TITLE_LENGTH),
  namespace,
  file,
  fileName: file.name,
})

/** The reason why a file cannot be uploaded; undefined if it can. */
export function findFileProblem({ size }: Pick<File, 'size'>): string | undefined {
  if (size === 0) return 'The file is empty or a folder. To add a folder, add the files in it.'
  if (size <= MAX_SOURCE_BYTES) return undefined
  return `The file has ${Math.ceil(size / MEGABYTE)} MB; the limit is ${MAX_SOURCE_BYTES / MEGABYTE} MB. Split it into smaller files.`
}

const MEGABYTE = 1_000_000
