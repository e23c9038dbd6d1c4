import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ReflectionId } from '@parley/contracts'
import { z } from 'zod'

/** What the demo reflection is called in a command. */
export const DEMO = 'demo'

const FILE = 'demo.json'
const Marker = z.object({
  reflectionId: ReflectionId.optional(),
  /** In part: the next start goes on with it. */
  handedOver: z.enum(['in_part', 'wholly']).default('wholly'),
})
export type DemoMarker = z.infer<typeof Marker>

/** Notes how far the demo was given to this data folder, so that nothing of it is given twice. */
export async function markDemo(home: string, marker: DemoMarker): Promise<void> {
  const path = join(home, FILE)
  await writeFile(`${path}.new`, `${JSON.stringify(marker)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** A marker that cannot be understood is one all the same. */
export async function readDemoMarker(home: string): Promise<DemoMarker | undefined> {
  const text = await readFile(join(home, FILE), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return Marker.parse(JSON.parse(text))
  } catch {
    return { handedOver: 'wholly' }
  }
}
