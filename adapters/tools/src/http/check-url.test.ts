import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkUrl } from './check-url.ts'

const reach = { allowedHosts: ['allowed.test', 'xn--bcher-kva.test', '127.0.0.1', 'localhost.'] }

describe('checking a URL', () => {
  test.each([
    ['as it is', 'https://allowed.test/a?b=c', 'https://allowed.test/a?b=c'],
    ['in upper case', 'HTTPS://ALLOWED.TEST/', 'https://allowed.test/'],
    ['with its default port', 'https://allowed.test:443/', 'https://allowed.test/'],
    ['in wide letters', 'https://ａｌｌｏｗｅｄ.test/', 'https://allowed.test/'],
    ['with a foreign dot', 'https://allowed。test/', 'https://allowed.test/'],
    ['percent-encoded', 'https://%61llowed.test/', 'https://allowed.test/'],
    ['in Unicode letters', 'https://bücher.test/', 'https://xn--bcher-kva.test/'],
    ['in Punycode', 'https://xn--bcher-kva.test/', 'https://xn--bcher-kva.test/'],
    ['with a backslash', 'https://allowed.test\\@evil.test/', 'https://allowed.test/@evil.test/'],
  ])('[S13] an allowed host %s', (_, given, href) => {
    const checked = checkUrl(given, reach)
    expect(checked.kind === 'allowed' && checked.url.href).toBe(href)
  })

  test('[S13] a host that the config has in Unicode letters', () => {
    expect(checkUrl('https://xn--bcher-kva.test/', { allowedHosts: ['Bücher.test'] }).kind).toBe('allowed')
  })

  test.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f.0.0.1/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://0/',
    'https://017700000001/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:127.0.0.1]/',
    'https://[fe80::1%25eth0]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://8.8.8.8/',
    'https://localhost/',
    'https://localhost./',
    'https://api.localhost/',
    'https://127.0.0.1.nip.test/',
    'https://metadata.google.internal/',
    'https://allowed.test./',
    'https://allowed.test../',
    'https://sub.allowed.test/',
    'https://allowed.test.evil.test/',
    'https://notallowed.test/',
    'https://allowed.tes/',
    'https://allowed.test@evil.test/',
    'https://user@allowed.test/',
    'https://user:word@allowed.test/',
    'https://:@127.0.0.1/',
    'https://evil.test#@allowed.test/',
    'https://evil.test?@allowed.test/',
    'https://evil.test\\@allowed.test/',
    'https://allowed.test:8443/',
    'https://allowed.test:80/',
    'http://allowed.test/',
    'http://allowed.test:443/',
    'ftp://allowed.test/',
    'file:///etc/passwd',
    'file://allowed.test/etc/passwd',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'blob:https://allowed.test/1',
    'ws://allowed.test/',
    'gopher://allowed.test/',
    '//allowed.test/',
    'allowed.test',
    '/path',
    '',
    'https://',
    'https://аllowed.test/', // its first letter is Cyrillic
    'https://allowed\u00ad.test.evil.test/',
    'https://allowed.test%00.evil.test/',
    'https://allowed.test%2f.evil.test/',
  ])('[S13] attack: %s is refused', (url) => {
    expect(checkUrl(url, reach)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/\w/) })
  })

  test.each([
    ['http://127.0.0.1:8888/search', 'http://127.0.0.1:8888'],
    ['http://localhost:8888/', 'http://localhost:8888'],
    ['http://[::1]:8888/', 'http://[::1]:8888'],
    ['https://127.0.0.1:8443/', 'https://127.0.0.1:8443'],
    ['http://2130706433:8888/', 'http://127.0.0.1:8888'],
  ])('[S13] the only origin on this machine that the person’s config names: %s', (url, allowLoopback) => {
    expect(checkUrl(url, { allowedHosts: [], allowLoopback })).toMatchObject({
      kind: 'allowed',
      isLoopback: true,
    })
  })

  test.each([
    ['another port', 'http://127.0.0.1:8889/', 'http://127.0.0.1:8888'],
    ['another address', 'http://127.0.0.2:8888/', 'http://127.0.0.1:8888'],
    ['another scheme', 'https://127.0.0.1:8888/', 'http://127.0.0.1:8888'],
    ['another name', 'http://localhost:8888/', 'http://127.0.0.1:8888'],
    ['a user', 'http://user@127.0.0.1:8888/', 'http://127.0.0.1:8888'],
    ['no loopback at all', 'http://192.168.0.1/', 'http://192.168.0.1'],
    ['no loopback at all', 'http://127.evil.test/', 'http://127.evil.test'],
    ['an origin of no host', 'data:text/plain,hello', 'null'],
  ])('[S13] attack: %s instead of that origin is refused', (_, url, allowLoopback) => {
    expect(checkUrl(url, { allowedHosts: [], allowLoopback }).kind).toBe('refused')
  })

  test('[S13] for any URL, only allowed hosts over https pass', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'https://',
        'http://',
        'allowed.test',
        'evil.test',
        '@',
        ':',
        '/',
        '\\',
        '#',
        '?',
        '.',
        '%2e',
      ),
      fc.constantFrom(
        '443',
        '127.0.0.1',
        '[::1]',
        '。',
        '\t',
        '\n',
        ' ',
        '%00',
        '\u200d',
        'ａ',
        '[',
        ']',
        '//',
      ),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const checked = checkUrl(pieces.join(''), { allowedHosts: ['allowed.test'] })
        if (checked.kind === 'refused') return
        expect(checked.url.origin).toBe('https://allowed.test')
        expect(checked.url.href).toMatch(/^https:\/\/allowed\.test\//)
      }),
      { numRuns: 3_000 },
    )
  })
})
