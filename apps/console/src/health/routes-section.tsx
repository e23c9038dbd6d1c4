import type { RouteHealth } from '@parley/contracts'
import { HeadCell, Part, TABLE, WideTable } from './part.tsx'
import { valueInWords } from './value-in-words.ts'

export function RoutesSection({ routes }: { routes: readonly RouteHealth[] }) {
  return (
    <Part id="requests" title="Requests by route">
      <WideTable label="Table of requests by route">
        <table className={TABLE}>
          <caption className="sr-only">Those with failures first</caption>
          <thead>
            <tr>
              <HeadCell side="start">Route</HeadCell>
              <HeadCell>Requests</HeadCell>
              <HeadCell>Refused</HeadCell>
              <HeadCell>Failed</HeadCell>
              <HeadCell>Average</HeadCell>
            </tr>
          </thead>
          <tbody>
            {routes.map(({ route, requests, refused, failed, averageMs }) => (
              <tr key={route}>
                <th scope="row" className="py-1 text-start font-mono text-xs font-normal wrap-anywhere">
                  {route}
                </th>
                <td className="py-1 ps-4 text-end">{valueInWords(requests, 'count')}</td>
                <td className={`py-1 ps-4 text-end ${refused === 0 ? 'text-soft' : ''}`}>
                  {valueInWords(refused, 'count')}
                </td>
                <td className={`py-1 ps-4 text-end ${failed > 0 ? 'text-alarm' : 'text-soft'}`}>
                  {valueInWords(failed, 'count')}
                </td>
                <td className="py-1 ps-4 text-end whitespace-nowrap">{valueInWords(averageMs, 'ms')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </WideTable>
    </Part>
  )
}
