package catalogue

import (
	"fmt"
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

// priced is a model with its price in zlotys.
type priced struct {
	name   string
	zlotys int
}

// processors come boxed; every third one also as a tray part of one shop.
func processors() []draft {
	var drafts []draft
	for _, model := range append(ryzenModels(), coreModels()...) {
		code := processorCode(model.name)
		brand, short, _ := strings.Cut(model.name, " ")
		drafts = append(drafts, draft{brand: brand, short: short, detail: "BOX", code: code, zlotys: model.zlotys})
		if seeded.IntN(3, "tray", model.name) == 0 {
			drafts = append(drafts, draft{
				brand: brand, short: short + " OEM", code: code + "-T", zlotys: model.zlotys * 95 / 100,
				offerOnly: seeded.IntN(2, "single", model.name) == 0,
			})
		}
	}
	return drafts
}

func processorCode(name string) string {
	digits := seeded.IntN(100_000, "processor", name)
	if strings.HasPrefix(name, "AMD") {
		return fmt.Sprintf("100-1000%05dWOF", digits)
	}
	return fmt.Sprintf("BX80%05d%s", digits, name[strings.LastIndexAny(name, "- ")+1:])
}

func ryzenModels() []priced {
	return []priced{
		{"AMD Ryzen 9 9950X3D", 3199}, {"AMD Ryzen 9 9950X", 2449}, {"AMD Ryzen 9 9900X3D", 2699},
		{"AMD Ryzen 9 9900X", 1699}, {"AMD Ryzen 7 9800X3D", 2149}, {"AMD Ryzen 7 9700X", 1349},
		{"AMD Ryzen 5 9600X", 899}, {"AMD Ryzen 5 9600", 799}, {"AMD Ryzen 9 7950X3D", 2399},
		{"AMD Ryzen 9 7950X", 2099}, {"AMD Ryzen 9 7900X", 1599}, {"AMD Ryzen 9 7900", 1549},
		{"AMD Ryzen 7 7800X3D", 1599}, {"AMD Ryzen 7 7700X", 1249}, {"AMD Ryzen 7 7700", 1149},
		{"AMD Ryzen 5 7600X", 869}, {"AMD Ryzen 5 7600", 799}, {"AMD Ryzen 5 7500F", 649},
		{"AMD Ryzen 7 8700G", 1199}, {"AMD Ryzen 5 8600G", 829}, {"AMD Ryzen 5 8500G", 649},
		{"AMD Ryzen 5 8400F", 529}, {"AMD Ryzen 9 5950X", 1599}, {"AMD Ryzen 9 5900X", 1199},
		{"AMD Ryzen 7 5800X3D", 1399}, {"AMD Ryzen 7 5700X3D", 949}, {"AMD Ryzen 7 5800X", 799},
		{"AMD Ryzen 7 5700X", 649}, {"AMD Ryzen 7 5700G", 719}, {"AMD Ryzen 5 5600X", 549},
		{"AMD Ryzen 5 5600", 479}, {"AMD Ryzen 5 5600G", 559}, {"AMD Ryzen 5 5500", 339},
		{"AMD Ryzen 5 4500", 269}, {"AMD Ryzen 5 3600", 299}, {"AMD Ryzen Threadripper 7960X", 6299},
	}
}

func coreModels() []priced {
	return []priced{
		{"Intel Core Ultra 9 285K", 2599}, {"Intel Core Ultra 7 265K", 1449}, {"Intel Core Ultra 7 265KF", 1379},
		{"Intel Core Ultra 5 245K", 1149}, {"Intel Core Ultra 5 245KF", 1049}, {"Intel Core Ultra 5 225F", 849},
		{"Intel Core i9-14900KS", 2799}, {"Intel Core i9-14900K", 2199}, {"Intel Core i9-14900KF", 2049},
		{"Intel Core i9-14900F", 1999}, {"Intel Core i7-14700K", 1599}, {"Intel Core i7-14700KF", 1499},
		{"Intel Core i7-14700F", 1449}, {"Intel Core i5-14600K", 999}, {"Intel Core i5-14600KF", 919},
		{"Intel Core i5-14500", 949}, {"Intel Core i5-14400", 799}, {"Intel Core i5-14400F", 599},
		{"Intel Core i3-14100", 549}, {"Intel Core i3-14100F", 419}, {"Intel Core i9-13900K", 1999},
		{"Intel Core i7-13700K", 1399}, {"Intel Core i7-13700KF", 1329}, {"Intel Core i5-13600K", 1049},
		{"Intel Core i5-13600KF", 929}, {"Intel Core i5-13500", 929}, {"Intel Core i5-13400", 729},
		{"Intel Core i5-13400F", 559}, {"Intel Core i3-13100F", 369}, {"Intel Core i9-12900K", 1199},
		{"Intel Core i7-12700K", 949}, {"Intel Core i7-12700F", 849}, {"Intel Core i5-12600K", 749},
		{"Intel Core i5-12600KF", 659}, {"Intel Core i5-12400", 559}, {"Intel Core i5-12400F", 459},
		{"Intel Core i3-12100", 429}, {"Intel Core i3-12100F", 329},
	}
}
