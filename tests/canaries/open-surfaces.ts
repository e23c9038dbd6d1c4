import type { Seen } from './canary.ts'
import type { Planted } from './planted-server.ts'

/** What anybody may read, with a link or without one. */
export async function openSurfaces(server: Planted, link: string): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  for (const path of OPEN) {
    const response = await fetch(`${server.url}${path.replace('{link}', link)}`)
    seen.push({ where: path, text: `${JSON.stringify([...response.headers])} ${await response.text()}` })
  }
  for (const [path, body] of REFUSED_STARTS) {
    const answered = await server.send('POST', path.replace('{link}', link), body)
    seen.push({ where: `a start that is refused: ${path}`, text: JSON.stringify(answered) })
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
  seen.push({ where: 'what serves the public', text: await server.publicNow() })
  return seen
}

const OPEN = [
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
