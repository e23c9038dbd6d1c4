import type { SourceToAdd } from '@parley/api-client'
import { MAX_SOURCE_BYTES } from '@parley/contracts'

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
