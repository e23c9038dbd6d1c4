/** The page of the server's health, with what draws its charts. */
export { HealthPage } from './health-page.tsx'
