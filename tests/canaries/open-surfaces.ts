import type { SurfaceText } from './canary.ts'
import type { PlantedServer } from './planted-server.ts'

/** Reads everything that needs no session, with a link or without one. */
export async function readOpenSurfaces(server: PlantedServer, link: string): Promise<readonly SurfaceText[]> {
  const seen: SurfaceText[] = []
  for (const path of OPEN_PATHS) {
    const response = await fetch(`${server.url}${path.replace('{link}', link)}`)
    seen.push({ where: path, text: `${JSON.stringify([...response.headers])} ${await response.text()}` })
  }
  for (const [path, body] of REFUSED_STARTS) {
    const answered = await server.send('POST', path.replace('{link}', link), body)
    seen.push({ where: `a refused start: ${path}`, text: JSON.stringify(answered) })
  }
  for (const shape of ['', '/mobile'] as const) {
    for (const transport of ['websocket', 'webrtc'] as const) {
      const started = await server.send('POST', `${shape}/r/${link}/sessions`, {
        channel: 'voice',
        transport,
      })
      seen.push({ where: `a start over ${transport}${shape}`, text: JSON.stringify(started) })
    }
  }
  seen.push({ where: 'the public artifacts', text: await server.readPublicArtifacts() })
  return seen
}

const OPEN_PATHS = [
  '/',
  '/index.html',
  '/reflections',
  '/healthz',
  '/readyz',
  '/metrics',
  '/v1/openapi.json',
  '/v1/r/{link}',
  '/v1/none',
]

const REFUSED_STARTS: readonly (readonly [path: string, body: unknown])[] = [
  ['/r/shr_none/sessions', { channel: 'text' }],
  ['/r/{link}/sessions', { channel: 'smoke' }],
  ['/r/{link}/sessions', { channel: 'text', reflectionId: 'ref_1' }],
  ['/r/{link}/sessions', '{'],
  ['/r/{link}/sessions', { channel: 'text', words: 'x'.repeat(20_000) }],
]
