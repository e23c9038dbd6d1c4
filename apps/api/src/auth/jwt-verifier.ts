import { PlatformError } from '@parley/contracts'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { hashToken } from './hash-token.ts'

/** Whose JWTs are believed here, as to who somebody is. */
export interface JwtIssuer {
  readonly issuer: string
  /** The audience that its JWTs must name. */
  readonly audience: string
  /** Where its public keys are. */
  readonly jwksUrl: string
}

export interface VerifiedSubject {
  /** By which the person is found. */
  readonly subjectHash: Buffer
  readonly expiresAt: number
}

/** Nothing for a JWT that the issuer did not make, not for us, or not for now. */
export type VerifyJwt = (jwt: string) => Promise<VerifiedSubject | undefined>

/** Only keys that an issuer keeps to itself: a shared one could be anybody's. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

export const hashSubject = (issuer: string, subject: string): Buffer => hashToken(`${issuer}\n${subject}`)

export function jwtVerifier({ issuer, audience, jwksUrl }: JwtIssuer): VerifyJwt {
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
        message: 'The keys of the issuer of JWTs could not be had just now. Try again a little later.',
      })
    }
  }
}

const isAboutJwt = (failure: unknown): boolean =>
  failure instanceof errors.JOSEError &&
  !(failure instanceof errors.JWKSTimeout) &&
  failure.code !== 'ERR_JOSE_GENERIC'
