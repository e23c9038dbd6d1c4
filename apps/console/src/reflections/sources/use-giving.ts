import type { Reflection } from '@parley/contracts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { firstNamespace } from './first-namespace.ts'
import { sourceOfFile, whyNotSent } from './source-of-file.ts'
import type { Uploads } from './use-uploads.ts'

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
