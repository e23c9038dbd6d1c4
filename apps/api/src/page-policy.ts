import type { secureHeaders } from 'hono/secure-headers'

/** What a page of ours may do: run our own files, call this server and the voice provider, hear the microphone. Nothing inline. */
export const pagePolicy = (voiceOrigin: string | undefined): Parameters<typeof secureHeaders>[0] => ({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'", ...(voiceOrigin === undefined ? [] : [voiceOrigin])],
    manifestSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  permissionsPolicy: { microphone: ['self'], camera: [], geolocation: [] },
  xFrameOptions: 'DENY',
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: false,
})
