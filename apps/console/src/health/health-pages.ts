/** The health page with its charting library, in one lazily loaded chunk. */
export { HealthPage } from './health-page.tsx'
