package k8s

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The kinds of others, as far as the manifests use them: their own types would bring the
// whole of Traefik and of the operators. `make test-cluster` holds the manifests to
// their definitions.
type (
	middleware struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              map[string]any `json:"spec"` // is compared with the gateway's file
	}

	certificate struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			SecretName string   `json:"secretName"`
			DNSNames   []string `json:"dnsNames"`
			PrivateKey struct {
				RotationPolicy string `json:"rotationPolicy"`
			} `json:"privateKey"`
			IssuerRef struct{ Group, Kind, Name string } `json:"issuerRef"`
		} `json:"spec"`
	}

	externalSecret struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			RefreshInterval string                      `json:"refreshInterval"`
			SecretStoreRef  struct{ Kind, Name string } `json:"secretStoreRef"`
			Target          struct{ Name string }       `json:"target"`
			Data            []struct {
				SecretKey string                         `json:"secretKey"`
				RemoteRef struct{ Key, Property string } `json:"remoteRef"`
			} `json:"data"`
		} `json:"spec"`
	}

	podMonitor struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			JobLabel            string                            `json:"jobLabel"`
			Selector            metav1.LabelSelector              `json:"selector"`
			PodMetricsEndpoints []struct{ Port, Interval string } `json:"podMetricsEndpoints"`
		} `json:"spec"`
	}

	prometheusRule struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              ruleFile `json:"spec"`
	}

	// ruleFile is a file of rules as Prometheus reads it.
	ruleFile struct {
		Groups []any `json:"groups"`
	}
)

// keys are those of the Secret that is made.
func (e *externalSecret) keys() []string {
	made := map[string]bool{}
	for _, entry := range e.Spec.Data {
		made[entry.SecretKey] = true
	}
	return slices.Sorted(maps.Keys(made))
}
