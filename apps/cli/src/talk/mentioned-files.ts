import { stat } from 'node:fs/promises'
import { type ContextFile, readContextFiles } from '../message/context-files.ts'
import { neutralise } from '../render/neutralise.ts'

interface Mentioned {
  readonly files: readonly ContextFile[]
  /** What begins with an @ and is no file here. */
  readonly unknown: readonly string[]
}

/** The files that a message names by an @. One in quotes is surely meant: if it is not there, that is an error. */
export async function mentionedFiles(text: string): Promise<Mentioned> {
  const found = await Promise.all(mentionsIn(text).map(resolved))
  const paths = found.flatMap(({ path }) => (path === undefined ? [] : [path]))
  return {
    files: await readContextFiles([...new Set(paths)]),
    unknown: found.flatMap(({ path, mention }) => (path === undefined ? [mention] : [])),
  }
}

/** What a person is told of it. */
export function notesOn({ files, unknown }: Mentioned): readonly string[] {
  const given = files.map(({ path }) => path).join(', ')
  return [
    ...(files.length === 0 ? [] : [`with ${given}`]),
    ...unknown.map((mention) => `@${mention} is no file here, and stays as it is`),
  ].map(neutralise)
}

interface Mention {
  readonly mention: string
  readonly isQuoted: boolean
}

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"@]+))/g

const mentionsIn = (text: string): readonly Mention[] =>
  Array.from(text.matchAll(MENTION), ([, quoted, bare = '']) => ({
    mention: quoted ?? bare,
    isQuoted: quoted !== undefined,
  }))

/** A sentence may go on with a comma right after the name, or end. */
async function resolved({ mention, isQuoted }: Mention) {
  if (isQuoted || (await isThere(mention))) return { mention, path: mention }
  const shorter = mention.replace(/[.,;:!?)\]}'’]+$/, '')
  return { mention: shorter, path: shorter !== '' && (await isThere(shorter)) ? shorter : undefined }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
