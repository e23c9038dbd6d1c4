import type { JwtIssuer } from '@parley/api'
import { PlatformError } from '@parley/contracts'
import type { Config } from '../config.ts'

/** Whose JWTs say who somebody is, by the environment; nobody's where no issuer is named. */
export function jwtIssuerOf({ variable }: Pick<Config, 'variable'>): { readonly jwtIssuer?: JwtIssuer } {
  const issuer = variable('PARLEY_JWT_ISSUER')
  if (issuer === undefined) return {}
  const jwksUrl = variable('PARLEY_JWT_JWKS_URL') ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`
  if (!URL.canParse(jwksUrl)) {
    throw new PlatformError('config_invalid', {
      message: `The keys of PARLEY_JWT_ISSUER cannot be had: ${jwksUrl} is no URL.`,
      mend: 'Set PARLEY_JWT_JWKS_URL to where they are, such as https://login.example.org/jwks.json.',
    })
  }
  return { jwtIssuer: { issuer, jwksUrl, audience: variable('PARLEY_JWT_AUDIENCE') ?? 'parley' } }
}
