// A provider of the package oidc-provider, where anybody is the person whose login they write. Its one argument is what differs from a usual
// one, as JSON; it prints its issuer, and has new keys after a request to /rotate.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const settings = JSON.parse(process.argv[1])
const groups = { kim: ['platform'], lee: ['others'] }
const server = createServer()
let issuer
let handle

// Another provider at the same issuer, because one keeps its keys.
const renew = (kid) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider = new Provider(issuer, {
    claims: { email: ['email', 'email_verified'], groups: ['groups'] },
    clients: [{
      client_id: 'up&state',
      client_secret: 's3cret :',
      redirect_uris: ['http://up.test/ui/sign-in/callback'],
      post_logout_redirect_uris: ['http://up.test/ui/sign-in/callback'],
      token_endpoint_auth_method: (settings.clientAuthMethods ?? ['client_secret_basic'])[0],
    }],
    cookies: { keys: ['one key for all'] },
    findAccount: (context, login) => ({
      accountId: login,
      claims: () => ({ sub: login, email: `${login}@example.com`, email_verified: true, groups: groups[login] }),
    }),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] },
    ...settings,
  })
  handle = provider.callback()
}

server.on('request', (request, response) => {
  if (request.url !== '/rotate') return handle(request, response)
  renew('second')
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  issuer = `http://127.0.0.1:${server.address().port}`
  renew('first')
  console.log(issuer)
})
