import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ReflectionId } from '@parley/contracts'
import { z } from 'zod'

/** What the demo reflection is called in a command. */
export const DEMO = 'demo'

const FILE = 'demo.json'
const Marker = z.object({ reflectionId: ReflectionId.optional() })

/** Notes that the demo was given to this data folder, so that it is not given again. */
export async function markDemo(home: string, reflectionId?: ReflectionId): Promise<void> {
  await writeFile(join(home, FILE), `${JSON.stringify({ reflectionId })}\n`, { mode: 0o600 })
}

export async function isDemoMarked(home: string): Promise<boolean> {
  return (await readMarker(home)) !== undefined
}

/** The demo reflection of this data folder, if it was made here. */
export async function demoReflection(home: string): Promise<ReflectionId | undefined> {
  return (await readMarker(home))?.reflectionId
}

/** A marker that cannot be understood is one all the same. */
async function readMarker(home: string): Promise<z.infer<typeof Marker> | undefined> {
  const text = await readFile(join(home, FILE), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return Marker.parse(JSON.parse(text))
  } catch {
    return {}
  }
}
