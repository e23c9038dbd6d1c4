import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new Histogram({
      name: 'parley_http_request_duration_seconds',
      help: 'How long requests took, by route and status',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    turns: new Counter({
      name: 'parley_turns_total',
      help: 'Turns that ended, by how they ended',
      labelNames: ['stop_reason'],
      registers,
    }),
    readers: new Gauge({ name: 'parley_event_readers', help: 'Event streams open now', registers }),
  }
}
