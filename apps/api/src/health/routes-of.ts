import type { RouteHealth } from '@parley/contracts'
import type { SummedSample } from '@parley/postgres'

const MOST_ROUTES = 20

/** Which routes were asked how often and how they answered; those with failures first, then the busiest. */
export function routesOf(samples: readonly SummedSample[]): RouteHealth[] {
  const routes = new Map<string, RouteHealth & { readonly ms: number }>()
  for (const { what, label, count, sum } of samples) {
    if (what !== 'request') continue
    const at = label.lastIndexOf(' ')
    const route = label.slice(0, at)
    const before = routes.get(route) ?? { route, requests: 0, refused: 0, failed: 0, averageMs: 0, ms: 0 }
    const requests = before.requests + count
    const ms = before.ms + sum
    routes.set(route, {
      route,
      requests,
      refused: before.refused + (label.endsWith(' 4xx') ? count : 0),
      failed: before.failed + (label.endsWith(' 5xx') ? count : 0),
      averageMs: ms / requests,
      ms,
    })
  }
  return [...routes.values()]
    .toSorted((one, other) => other.failed - one.failed || other.requests - one.requests)
    .slice(0, MOST_ROUTES)
    .map(({ route, requests, refused, failed, averageMs }) => ({
      route,
      requests,
      refused,
      failed,
      averageMs,
    }))
}
