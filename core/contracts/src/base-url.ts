import { z } from 'zod'

const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(\/[^?#@]*)?$/i
const SECURE = /^https:\/\/[^/?#@\s]+(\/[^?#@\s]*)?$/i

/** Where a provider answers. What is said there must not be read on the way. */
export const BaseUrl = z
  .url('a URL, such as "https://api.example.org/v1"')
  .max(2_000)
  .refine(
    (url) => SECURE.test(url) || LOOPBACK.test(url),
    'https://, or http:// to this machine (localhost, 127.0.0.1, [::1]); without user, query and fragment',
  )
