import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { awsEscaped, awsSigned } from './aws-signature.ts';

// From Amazon's documentation of Signature Version 4 for S3: keys, time and expected signatures stand there.
const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const NOW = new Date('2013-05-24T00:00:00Z');
const SCOPE = { region: 'us-east-1', service: 's3' };

function signatureOf(method: string, url: string, headers: Record<string, string>, body?: string): string | undefined {
  const request = { method, url: new URL(url), headers, ...(body !== undefined && { body: Buffer.from(body) }) };
  return awsSigned(request, KEYS, SCOPE, NOW)['authorization'];
}

describe('the signature of Amazon', () => {
  test('of a part of an object', () => {
    assert.equal(
      signatureOf('GET', 'https://examplebucket.s3.amazonaws.com/test.txt', { range: 'bytes=0-9' }),
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  test('of an object that is put, with a sign in its name', () => {
    const url = `https://examplebucket.s3.amazonaws.com/${awsEscaped('test$file.text')}`;
    const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
    assert.match(
      signatureOf('PUT', url, headers, 'Welcome to Amazon S3.') ?? '',
      /Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd$/,
    );
  });

  test('of a question without a value, and of a list', () => {
    assert.match(
      signatureOf('GET', 'https://examplebucket.s3.amazonaws.com/?lifecycle', {}) ?? '',
      /Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543$/,
    );
    assert.match(
      signatureOf('GET', 'https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J', {}) ?? '',
      /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/,
    );
  });

  test('names the token of a session among what is signed', () => {
    const signed = awsSigned(
      { method: 'GET', url: new URL('https://a.example/'), headers: {} },
      { ...KEYS, sessionToken: 't' },
      SCOPE,
      NOW,
    );
    assert.equal(signed['x-amz-security-token'], 't');
    assert.match(signed['authorization'] ?? '', /x-amz-date;x-amz-security-token,/);
  });
});
