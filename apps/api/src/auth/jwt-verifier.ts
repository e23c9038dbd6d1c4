import { PlatformError } from '@parley/contracts'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { hashToken } from './tokens.ts'

/** The issuer whose JWTs this server trusts. */
export interface JwtIssuer {
  readonly issuer: string
  /** The audience that its JWTs must name. */
  readonly audience: string
  /** The URL of its public keys. */
  readonly jwksUrl: string
}

export interface VerifiedSubject {
  /** The key by which the person is found. */
  readonly subjectHash: Buffer
  readonly expiresAt: number
}

/** Undefined for a JWT of another issuer or audience, or an expired one. */
export type VerifyJwt = (jwt: string) => Promise<VerifiedSubject | undefined>

/** Only asymmetric algorithms: a shared key could sign for anybody. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

export const hashSubject = (issuer: string, subject: string): Buffer => hashToken(`${issuer}\n${subject}`)

export function createJwtVerifier({ issuer, audience, jwksUrl }: JwtIssuer): VerifyJwt {
  const keys = createRemoteJWKSet(new URL(jwksUrl))
  const requiredClaims = ['sub', 'exp']
  return async (jwt) => {
    try {
      const { payload } = await jwtVerify(jwt, keys, {
        issuer,
        audience,
        requiredClaims,
        algorithms: ALGORITHMS,
      })
      const { sub = '', exp = 0 } = payload
      return { subjectHash: hashSubject(issuer, sub), expiresAt: exp * 1000 }
    } catch (failure) {
      if (isAboutJwt(failure)) return undefined
      throw new PlatformError('provider_unavailable', {
        message: 'The keys of the JWT issuer are not available. Try again later.',
      })
    }
  }
}

const isAboutJwt = (failure: unknown): boolean =>
  failure instanceof errors.JOSEError &&
  !(failure instanceof errors.JWKSTimeout) &&
  failure.code !== 'ERR_JOSE_GENERIC'
