// Prints the signed path of a picture at any URL: go run sign.go LEVEL URL [EXPIRES], with the key in
// VITRINE_URL_KEYS. docs/signing.md explains each step.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"regexp"
	"strings"
)

var form = regexp.MustCompile(`(?is)^(https?://)([^/?#\\]+)([^?#]*)(\?[^#]*)?`)
var escape = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)

const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/"

func escaped(part, allowed string) string {
	var made strings.Builder
	for i := 0; i < len(part); i++ {
		if strings.IndexByte(allowed, part[i]) >= 0 || escape.MatchString(part[i:]) {
			made.WriteByte(part[i])
		} else {
			fmt.Fprintf(&made, "%%%02X", part[i])
		}
	}
	return made.String()
}

// NormalForm returns the URL as Vitrine keeps it. Write host names with other letters than ASCII as xn--…
func NormalForm(url string) string {
	isBlank := func(r rune) bool { return r <= ' ' }
	text := strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(strings.TrimFunc(url, isBlank))
	parts := form.FindStringSubmatch(text)
	if parts == nil {
		return text
	}
	rest := escaped(strings.ReplaceAll(parts[3], `\`, "/"), allowed) + escaped(parts[4], allowed+"?")
	if rest == "" {
		rest = "/"
	}
	return strings.ToLower(parts[1]+parts[2]) + rest
}

// SignedPath returns a path that works until expires, in seconds since 1970; for ever if that is empty.
func SignedPath(key, level, url, expires string) string {
	name := base64.RawURLEncoding.EncodeToString([]byte(NormalForm(url)))
	end := ""
	if expires != "" {
		end = "?expires=" + expires
	}
	code := hmac.New(sha256.New, []byte(key))
	code.Write([]byte(level + "/url/" + name + end))
	return "/t/" + level + "/url/" + base64.RawURLEncoding.EncodeToString(code.Sum(nil)) + "/" + name + end
}

func main() {
	// The first key signs; blanks don't count.
	key := strings.FieldsFunc(os.Getenv("VITRINE_URL_KEYS"), func(r rune) bool { return r == ',' || r == '\n' })[0]
	key = strings.Join(strings.Fields(key), "")
	arguments := append(os.Args[1:], "")
	fmt.Println(SignedPath(key, arguments[0], arguments[1], arguments[2]))
}
